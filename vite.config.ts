import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
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
const devServer = `http://127.0.0.1:${process.env.PORT ?? 3000}`
const proxied = { target: devServer, changeOrigin: false }
/** The server's addresses begin like folders of the app: a source file there is served by Vite. */
const proxiedWithoutSources = {
  ...proxied,
  bypass: ({ url = '/' }) => {
    const { pathname } = new URL(url, devServer)
    return statSync(`${top}app${pathname}`, { throwIfNoEntry: false })?.isFile() ? url : undefined
  },
}

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
 * Lists what runs, for the app's fingerprint. Not the service worker: it is written later, from this list too, and
 * answers for all of it.
 */
function listFiles(): Plugin {
  const running = new Set(['.js', '.css', '.html'])
  let dir = ''
  return {
    name: 'list-files',
    apply: 'build',
    configResolved({ build, root }) {
      dir = resolve(root, build.outDir)
    },
    async writeBundle() {
      const names = await readdir(dir, { recursive: true })
      const files = names.filter((name) => running.has(extname(name))).sort()
      await writeFile(join(dir, 'files.txt'), files.map((name) => `${name}\n`).join(''))
    },
  }
}

/**
 * A stylesheet in the head holds back the first paint, which needs none of it. At the end of the body it still loads
 * first, and the scripts wait for it. Later parts' stylesheets follow it there: in the head they would come before it,
 * and lose against it.
 */
const lateStyles: Plugin = {
  name: 'late-styles',
  apply: 'build',
  renderChunk(code) {
    return code.replaceAll('document.head.appendChild(', 'document.body.appendChild(')
  },
  generateBundle(_options, bundle) {
    const isMoved = Object.values(bundle).some(
      (file) => file.type === 'chunk' && file.code.includes('document.body.appendChild('),
    )
    if (!isMoved) throw new Error("Vite's way to load a later part's stylesheet has changed.")
  },
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const links = html.match(/<link rel="stylesheet"[^>]*>/g) ?? []
      const rest = links.reduce((page, link) => page.replace(link, ''), html)
      return rest.replace('</body>', `${links.join('')}</body>`)
    },
  },
}

/** Before each dynamic import of the app its files are made sure of: `parts-on-the-way.ts` says why. */
const fetchedParts: Plugin = {
  name: 'fetched-parts',
  apply: 'build',
  transform: {
    order: 'post',
    filter: { id: /vite\/preload-helper\.js$/ },
    handler(code) {
      const exported = 'export const __vitePreload ='
      if (!code.includes(exported)) throw new Error("Vite's way to load a later part has changed.")
      return `import { untilThere } from '${top}app/offline/parts-on-the-way.ts'
${code.replace(exported, 'const preloadPart =')}
export const __vitePreload = (load, files, importer) => {
  const waiting = untilThere(load, files)
  const go = () => preloadPart(load, files, importer)
  return waiting ? waiting.then(go) : go()
}`
    },
  },
  generateBundle(_options, bundle) {
    const isWrapped = Object.values(bundle).some(
      (file) => file.type === 'chunk' && /\(\(?\)?=>import\(`\.\//.test(file.code),
    )
    if (!isWrapped)
      throw new Error("A later part's address is no longer in the text of its import.")
  },
}

/** What a first screen asks for may not bring the chat with it, nor a way in what a signed-in device needs. */
const lightParts: Plugin = {
  name: 'light-parts',
  apply: 'build',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [file] : []))
    const nameOf = (fileName: string) => chunks.find((each) => each.fileName === fileName)?.name
    const heavy = {
      index: ['sync', 'online', 'conversation', 'shared'],
      login: ['sync', 'online', 'conversation', 'shared'],
      register: ['sync', 'online', 'conversation', 'shared'],
      known: ['sync', 'online', 'conversation', 'shared'],
      everybody: ['conversation', 'shared'],
    }
    for (const [part, kept] of Object.entries(heavy)) {
      const chunk = chunks.find(({ name }) => name === part)
      if (!chunk) throw new Error(`There is no part '${part}'.`)
      const brought = chunk.imports.map(nameOf).find((name) => name && kept.includes(name))
      if (brought) throw new Error(`The part '${part}' would load '${brought}' before it is shown.`)
    }
  },
}

/**
 * Two files for the first screen, one for what connects it, one for a chat, one for each way in, one for what another
 * app shares, one for the people beneath few chats, each with all that it needs: what they share with parts that come later would be in forty small files
 * otherwise, which compress worse and are requested one by one.
 */
const wholeParts = [
  {
    name: 'index',
    files: [
      'main.tsx',
      // What the ways in and the people beneath few chats share with later parts: these would come whole for it.
      'ui/text/copy-text.ts',
      'ui/text/phone-number.tsx',
      'database/views/live-value.ts',
      'sync/platform/back-off.ts',
    ],
  },
  { name: 'sync', files: ['sync/messenger.ts'] },
  // Needed by a page where nobody is signed in, too, which goes without the rest.
  { name: 'known', files: ['shell/notifications/push-device.ts', 'offline/record-signed-in.ts'] },
  {
    name: 'online',
    files: ['sync/replication/sync.ts', 'sync/realtime/live-line.ts', 'api/api.ts'],
  },
  { name: 'conversation', files: ['shell/open-chat/conversation-route.tsx'] },
  { name: 'register', files: ['shell/routes/register-route.tsx'] },
  { name: 'login', files: ['shell/routes/login-route.tsx'] },
  { name: 'waiting-share', files: ['shell/notices/waiting-share.tsx'] },
  { name: 'everybody', files: ['chats/everybody.tsx'] },
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
const background = ['sync', 'database', 'encryption', 'offline'].map(
  (folder) => `${top}app/${folder}/`,
)
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
      build: {
        outDir: 'dist/server',
        emptyOutDir: true,
        target: 'node20',
        sourcemap: true,
        // npm links this file as the command `petrel`.
        rolldownOptions: {
          output: {
            banner: ({ isEntry }) =>
              isEntry ? `#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node ${serverOptions.join(' ')}` : '',
          },
        },
      },
    }
  }
  return {
    root: `${top}app`,
    publicDir: `${top}public`,
    plugins: [
      react(),
      pushWorker,
      lateStyles,
      fetchedParts,
      lightParts,
      listFiles(),
      VitePWA(pwaOptions),
      compressFiles(),
    ],
    resolve: modernBuilds,
    // The thread that derives passwords loads what the browser needs of it.
    worker: { format: 'es' },
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
        '/api': proxiedWithoutSources,
        '/sync': proxiedWithoutSources,
        '/poll': proxiedWithoutSources,
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
function onUnhandledError(error: { message: string; docId?: unknown }): false | undefined {
  // PouchDB lets go of what it asked, and of a checkpoint that it could not write, when its network is gone.
  const isOfPouch =
    String(error.docId).startsWith('_local/') ||
    error.message === 'The PouchDB of an example has no network.'
  return isOfPouch || error.message.includes('The disk of the lab is full.') ? false : undefined
}

const unitTests = {
  root: top,
  test: {
    ...patience,
    name: 'unit',
    environment: 'node',
    provide: { testCouchdbUrl: process.env.TEST_COUCHDB_URL ?? '' },
    include: ['{schema,sync-server,app,.run}/**/*.test.ts'],
    // More than half of what a test takes is waiting: for the disk, for a poll, for a grace period. With three workers a core
    // tests of what comes within 20 s failed by chance.
    maxWorkers: availableParallelism() * 2,
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
