import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openFile, openStream } from '../../../encryption/sealed-file.ts'

// Prints how many bytes of memory opening a sealed file takes at most: while it arrives, or fetched
// first. A process of its own has nothing else in its memory.
const [, , way, path = '', key = ''] = process.argv
const chunksBetweenLooks = 64
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

collect()
const before = process.memoryUsage().rss
const seen = { chunks: 0, peak: 0 }

function look() {
  collect()
  seen.peak = Math.max(seen.peak, process.memoryUsage().rss - before)
}

const watched = new TransformStream<Uint8Array, Uint8Array>({
  transform(chunk, controller) {
    if (seen.chunks % chunksBetweenLooks === 0) look()
    seen.chunks += 1
    controller.enqueue(chunk)
  },
})
const arriving = (Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>).pipeThrough(
  watched,
)
const opened =
  way === 'arriving'
    ? await openStream(arriving, key, '')
    : await openFile(await new Response(arriving).blob(), key, '')
look()
console.log(opened.size === 0 ? Number.NaN : seen.peak)
