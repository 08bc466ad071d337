import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createBrotliCompress } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build, defaultClientConditions, type Plugin } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './.run/long-first.mjs'
import { serverOptions } from './.run/project.mjs'
import { pwaOptions } from './app/offline/pwa-options.ts'

const top = fileURLToPath(new URL('.', import.meta.url))
const devServer = 'http://127.0.0.1:3000'
const proxied = { target: devServer, changeOrigin: false }

/** What rxjs and dexie give to bundlers by default is written for browsers without classes, and larger. */
export const modernBuilds = {
  conditions: ['es2015', ...defaultClientConditions],
  alias: [{ find: /^dexie$/, replacement: 'dexie/dist/modern/dexie.mjs' }],
}

/** The service worker's own part, as one classic script: a worker imports no other kind. */
const pushWorker: Plugin = {
  name: 'push-worker',
  apply: 'build',
  async generateBundle() {
    const built = await build({
      configFile: false,
      root: `${top}app`,
      publicDir: false,
      logLevel: 'warn',
      build: {
        write: false,
        target: 'es2022',
        lib: {
          entry: `${top}app/offline/worker/push-worker.ts`,
          formats: ['iife'],
          name: 'petrelPushWorker',
        },
      },
    })
    const outputs = [built].flat().flatMap((each) => ('output' in each ? each.output : []))
    const [script] = outputs.flatMap((each) => (each.type === 'chunk' ? [each.code] : []))
    if (script === undefined) throw new Error('The push worker was not built.')
    this.emitFile({ type: 'asset', fileName: 'push-worker.js', source: script })
  },
}

/**
 * Writes each text file's Brotli beside it, at the best quality (the default), which is too slow for a request. Comes
 * last: the service worker is written when the bundle closes.
 */
function compressFiles(): Plugin {
  const compressed = new Set(['.js', '.css', '.html', '.json', '.svg'])
  let dir = ''
  return {
    name: 'compress-files',
    apply: 'build',
    configResolved({ build, root }) {
      dir = resolve(root, build.outDir)
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const names = await readdir(dir, { recursive: true })
        const files = names.filter((name) => compressed.has(extname(name)))
        await Promise.all(
          files.map((name) => {
            const path = join(dir, name)
            const written = createWriteStream(`${path}.br`)
            return pipeline(createReadStream(path), createBrotliCompress(), written)
          }),
        )
      },
    },
  }
}

/**
 * Two files for the first screen, one for what connects it, one for a chat, one for each way in, one for what another
 * app shares, each with all that it needs: what they share with parts that come later would be in forty small files
 * otherwise, which compress worse and are requested one by one.
 */
const wholeParts = [
  { name: 'index', files: ['main.tsx'] },
  { name: 'sync', files: ['sync/messenger.ts'] },
  {
    name: 'online',
    files: [
      'sync/replication/sync.ts',
      'sync/realtime/live-line.ts',
      'api/api.ts',
      'shell/notifications/push-device.ts',
      'offline/record-signed-in.ts',
    ],
  },
  { name: 'conversation', files: ['shell/open-chat/conversation-route.tsx'] },
  { name: 'register', files: ['shell/routes/register-route.tsx'] },
  { name: 'login', files: ['shell/routes/login-route.tsx'] },
  { name: 'waiting-share', files: ['shell/sharing/waiting-share.tsx'] },
].map(({ name, files }, index, { length }) => {
  const paths = files.map((file) => `${top}app/${file}`)
  const lost = paths.find((path) => !existsSync(path))
  if (lost) throw new Error(`The part '${name}' is made of ${lost}, which is not there.`)
  // What two of them need is in the earlier one.
  return { name, test: (id: string) => paths.includes(id), priority: length - index }
})
/**
 * What later screens share: fifty small files less for a device that installs the app, which stores them one by one. What
 * works in the background needs no screen.
 */
const background = ['sync', 'database', 'offline'].map((folder) => `${top}app/${folder}/`)
const sharedPart = {
  name: 'shared',
  test: (id: string) =>
    id.startsWith(`${top}app/`) && !background.some((folder) => id.startsWith(folder)),
  minShareCount: 2,
}

export default defineConfig(({ isSsrBuild, mode }) => {
  if (mode === 'test') {
    const projects = [unitTests, endToEndTests]
    return { root: top, test: { projects, onUnhandledError, sequence: { sequencer: LongFirst } } }
  }
  if (isSsrBuild) {
    return {
      root: top,
      publicDir: false,
      // One file starts in three quarters of the time that finding and reading hundreds takes. Native code can't be bundled.
      ssr: { noExternal: true, external: ['classic-level', 'bufferutil', 'utf-8-validate'] },
      build: { outDir: 'dist/server', emptyOutDir: true, target: 'node20', sourcemap: true },
    }
  }
  return {
    root: `${top}app`,
    publicDir: `${top}public`,
    plugins: [react(), pushWorker, VitePWA(pwaOptions), compressFiles()],
    resolve: modernBuilds,
    build: {
      outDir: `${top}dist/app`,
      emptyOutDir: true,
      target: 'es2022',
      rolldownOptions: { output: { codeSplitting: { groups: [...wholeParts, sharedPart] } } },
    },
    server: {
      host: '127.0.0.1',
      // The product's own socket lives at the root, where Vite's would be.
      hmr: { path: '/@live-reload' },
      proxy: {
        '/api': proxied,
        '/sync': proxied,
        '/poll': proxied,
        '/healthz': proxied,
        '^/(\\?.*)?$': {
          ...proxied,
          ws: true,
          bypass: (request) => (request.headers.upgrade ? undefined : request.url),
        },
      },
    },
  }
})

/**
 * No test asserts speed: a busy machine gets the time that it needs. But one condition has to come sooner than 25 s,
 * after which a long poll ends by itself and would make up for a signal that was lost.
 */
const patience = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
}

/**
 * RxDB reports a failed store once more, late, when nobody listens. A lab device that dies with a full disk causes this
 * on purpose. Dexie gives the error as it is, or as one that repeats it in two lines.
 */
function onUnhandledError({ message }: { message: string }): false | undefined {
  return message.includes('The disk of the lab is full.') ? false : undefined
}

const unitTests = {
  root: top,
  test: {
    ...patience,
    name: 'unit',
    environment: 'node',
    provide: { testCouchdbUrl: process.env.TEST_COUCHDB_URL ?? '' },
    include: ['{schema,sync-server,app,.run}/**/*.test.ts'],
    // Two thirds of what a test takes is waiting: for the disk, for a poll, for a grace period.
    maxWorkers: availableParallelism() * 3,
    // Loading the same modules again for each file took longer than the tests: none of them mocks a module.
    isolate: false,
    // A tenth of the main thread's time went into collecting a young generation that is small by default.
    execArgv: serverOptions,
    sequence: { groupOrder: 0 },
  },
}

const endToEndTests = {
  root: top,
  test: {
    ...patience,
    name: 'e2e',
    environment: 'node',
    include: ['app/**/*.e2e.ts'],
    globalSetup: `${top}app/lab/browser/build-first.ts`,
    testTimeout: 300_000,
    isolate: false,
    // A page waits for half of its time: 13 files took 112 s with two workers a core, 129 with one and a half, 121 to
    // 128 with two and a half. Beside the other tests (both kinds at once) nothing was gained: 826 to 895 s instead of
    // 852.
    maxWorkers: availableParallelism() * 2,
    sequence: { groupOrder: 1 },
  },
}
