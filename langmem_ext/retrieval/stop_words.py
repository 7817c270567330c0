"""Function words: they say nothing about what a memory is about.

Written down by word class from grammar, not taken from a corpus: English articles, pronouns,
prepositions, conjunctions, question words and forms of be, have and do; Chinese particles, pronouns,
prepositions, conjunctions, question words, modal verbs (要 会 能), and the verbs that only point
(去 来 到) or stand for others (做), as English do does. Words that are a name or content elsewhere
(may, will, us, can) and negations stay searchable.
"""

from __future__ import annotations

from typing import Final

ENGLISH: Final = frozenset(
    "a an the "
    "i me my mine myself you your yours yourself he him his himself she her hers herself it its itself "
    "we our ours ourselves they them their theirs themselves this that these those "
    "and or but if so as than because while although though "
    "of in on at by for with about to from into onto over under between during before after "
    "who whom whose which what when where why how "
    "am is are was were be been being have has had having do does did doing would should could shall "
    "there here too very just also then "
    "i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'll we're we've "
    "we'd we'll they're they've they'd they'll that's what's who's where's there's".split()
)
CHINESE: Final = frozenset(
    "的 地 得 了 着 过 吗 呢 吧 啊 呀 嘛 么 "
    "我 你 您 他 她 它 我们 咱们 你们 他们 她们 它们 自己 这 那 这个 那个 这些 那些 这里 那里 "
    "是 在 有 和 与 及 或 跟 同 对 把 被 给 从 向 往 于 为 以 由 让 "
    "要 会 能 可以 应该 去 来 到 做 會 應該 來 "
    "也 都 就 还 又 再 很 太 最 而 但 但是 因为 所以 如果 虽然 然后 "
    "什么 怎么 怎样 怎么样 如何 谁 哪 哪里 哪个 哪些 几 多少 为什么 何 个 们 "
    "會 嗎 著 過 這 個 這個 那個 這些 我們 你們 他們 什麼 怎麼 為什麼 對 給 與 還 讓 從 於".split()
)
