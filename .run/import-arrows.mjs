import { readFileSync } from 'node:fs'
import { top } from './project.mjs'

const contributing = '.github/CONTRIBUTING.md'
const layers = ['api', 'database', 'encryption', 'sync', 'ui']
const features = [
  'auth',
  'chats',
  'conversation',
  'emoji',
  'media',
  'messages',
  'offline',
  'profile',
  'settings',
  'shell',
  'whatsapp',
]
const depths = ['../', '../../', '../../../']

/** Libraries limited to some folders, by their name in the table. */
const libraries = {
  server: {
    names: ['express', 'express-ws', 'pino', 'ioredis', 'jsonwebtoken', 'bcryptjs', 'helmet'],
    message: 'The server alone imports its libraries.',
  },
  LevelDB: {
    names: [
      'pouchdb',
      'pouchdb-*',
      'pouchdb-*/**',
      'classic-level',
      'abstract-leveldown',
      'leveldown',
      'levelup',
    ],
    message: 'LevelDB has one home: sync-server/storage.',
  },
  RxDB: {
    names: ['rxdb', 'rxdb/**', 'dexie', 'rxjs', 'rxjs/**'],
    message: 'rxdb and dexie have one home: app/database and app/sync.',
  },
  cryptography: {
    names: ['@noble/**', '@hpke/**', 'age-encryption', 'hash-wasm'],
    message: 'Cryptography has one home: app/encryption.',
  },
  React: {
    names: [
      'react',
      'react/**',
      'react-dom',
      'react-dom/**',
      'react-router-dom',
      'radix-ui',
      'virtua',
      'emoji-mart',
      '*.css',
    ],
    message: 'This layer knows no React and no DOM.',
  },
}

/** The default bans and their reasons; tests and the lab are exempt. */
const banned = {
  app: { group: ['**/app/**'], message: 'sync-server never imports app: both import schema.' },
  server: {
    group: ['**/sync-server/**'],
    message: 'app never imports sync-server: both import schema.',
  },
  lab: { group: ['**/lab/**'], message: 'Only tests use the lab.' },
  main: {
    group: ['**/main.tsx', '**/main.ts'],
    message: 'main.tsx is where the app begins; nothing imports it.',
  },
}

/**
 * The rows of the table of arrows in CONTRIBUTING.
 * @returns {{ folders: string[], imports: string[], libraries: string[] }[]}
 */
export function readArrowTable() {
  const [, table = ''] = readFileSync(top + contributing, 'utf8').split('<!-- arrows -->')
  const rows = table.trim().split('\n').slice(2)
  return rows.map((row) => {
    const [folders = [], imports = [], libraries = []] = row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.split(/[\s,`]+/).filter(Boolean))
    return { folders, imports, libraries }
  })
}

/**
 * The linter's configuration, with its overrides replaced by one for each row of the table. Biome
 * applies only the last matching list of restricted imports to a file, so each list is complete.
 * @param {string} configuration the text of `.biome.json`
 */
export function drawArrows(configuration) {
  const parsed = JSON.parse(configuration)
  const others = parsed.overrides.filter(
    (/** @type {unknown} */ override) => !listsArrows(override),
  )
  const table = readArrowTable()
  const draw = (/** @type {typeof table} */ rows) =>
    rows.flatMap(({ folders, imports, libraries }) =>
      folders.map((folder) => createOverride(folder, imports, libraries)),
    )
  // The other rows exempt every test; the rows for tests come after them.
  const tests = table.filter(({ folders }) => folders.some((folder) => folder.includes('*')))
  const rest = table.filter((row) => !tests.includes(row))
  return { ...parsed, overrides: [...draw(rest), ...others, ...draw(tests)] }
}

/** @param {unknown} override */
function listsArrows(override) {
  return JSON.stringify(override).includes('"patterns"')
}

/**
 * @param {string} folder
 * @param {string[]} imports
 * @param {string[]} owned
 */
function createOverride(folder, imports, owned) {
  const includes = folder.includes('*') || folder.includes('.') ? [folder] : [`${folder}/**`]
  const patterns = listForbidden(folder, imports, owned)
  const noRestrictedImports = { level: 'error', options: { patterns } }
  return { includes, linter: { rules: { style: { noRestrictedImports } } } }
}

/**
 * @param {string} folder
 * @param {string[]} imports
 * @param {string[]} owned
 */
function listForbidden(folder, imports, owned) {
  if (folder.startsWith('app/lab/kit')) {
    const message = "The lab's kit is packed for others: fake-indexeddb, ws and itself only."
    return [{ group: ['**', '!fake-indexeddb', '!ws', '!vitest', '!./**'], message }]
  }
  if (folder.includes('*')) {
    return [{ group: ['**/app/**', '**/sync-server/**'], message: 'Its tests know schema only.' }]
  }
  if (folder === 'schema') {
    const message = 'schema imports zod and itself only.'
    const libraries = { group: ['**', '!zod', '!zod/**', '!./**', '!../**'], message }
    return [libraries, { group: ['**/app/**', '**/sync-server/**'], message }]
  }
  const others = Object.entries(libraries).filter(([word]) => !owned.includes(word))
  const foreign = others.map(([, { names, message }]) => ({ group: names, message }))
  if (folder.startsWith('sync-server')) return [banned.app, ...foreign]
  return [
    banned.server,
    ...foreign,
    banned.lab,
    banned.main,
    ...listForbiddenParts(folder, imports),
  ]
}

/**
 * @param {string} folder
 * @param {string[]} imports
 */
function listForbiddenParts(folder, imports) {
  const own = folder.split('/')[1] ?? ''
  if (imports.includes('app/*')) return []
  const message = `${folder} imports ${imports.join(', ')} and itself only: app/shell joins the features.`
  const forbidden = [...layers, ...features].filter(
    (part) => part !== own && !imports.includes(`app/${part}`),
  )
  return [{ group: forbidden.flatMap((part) => depths.map((up) => `${up}${part}/**`)), message }]
}
