import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Preloaded into a server under memory measurement: counts live memory, not uncollected garbage.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
setInterval(collect, 1_000).unref()
