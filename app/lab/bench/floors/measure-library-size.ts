import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { modernBuilds } from '../../../../vite.config.ts'
import { sumGzip } from '../figures/sum-gzip.ts'

/** The size of the libraries alone, built like the app. In bytes, gzip. */
export async function measureLibrarySize(): Promise<number> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    mode: 'production',
    resolve: modernBuilds,
    build: {
      write: false,
      target: 'es2022',
      rollupOptions: { input: fileURLToPath(new URL('library-floor.ts', import.meta.url)) },
    },
  })
  const outputs = [result].flat().flatMap((built) => ('output' in built ? built.output : []))
  return sumGzip(outputs.flatMap((part) => (part.type === 'chunk' ? Buffer.from(part.code) : [])))
}
