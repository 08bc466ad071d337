import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createFileKey, openFile, openStream, sealFile } from '../../../encryption/sealed-file.ts'

// Prints how much memory opening a sealed file takes at most, as a multiple of the file: while it
// arrives, or fetched first.
const [way, bytes] = [process.argv[2], Number(process.argv[3])]
const chunksBetweenLooks = 64
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const key = createFileKey()
const sealed = await sealFile(new Blob([new Uint8Array(bytes)]), key)
collect()
const before = process.memoryUsage().rss
const seen = { chunks: 0, peak: 0 }

function look() {
  collect()
  seen.peak = Math.max(seen.peak, process.memoryUsage().rss - before)
}

const line = new TransformStream<Uint8Array, Uint8Array>({
  transform(chunk, controller) {
    if (seen.chunks % chunksBetweenLooks === 0) look()
    seen.chunks += 1
    controller.enqueue(chunk)
  },
})
const arriving = sealed.stream().pipeThrough(line)
const opened =
  way === 'arriving'
    ? await openStream(arriving, key, '')
    : await openFile(await new Response(arriving).blob(), key, '')
look()
if (opened.size !== bytes) throw new Error('The file was not opened whole.')
console.log(seen.peak / bytes)
