import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readSettings, settingNames, settingsExitCode } from './config.ts'

const top = fileURLToPath(new URL('../', import.meta.url))
const read = (path: string) => readFileSync(`${top}${path}`, 'utf8')

/** What an operator fills in. */
const filledIn: Record<string, string> = {
  PETREL_ADDRESS: 'chat.example.org',
  JWT_SECRET: 'a secret that is long enough for all',
  COUCHDB_PASSWORD: 'opensesame',
  METRICS_TOKEN: '',
  MESSAGE_RATE: '',
  STORAGE_QUOTA_MB: '4096',
  SUPPORT_EMAIL: '',
  SMTP_URL: '',
  MAIL_FROM: '',
  RESTORED: '',
}

/** As compose fills variables in: `${NAME}`, `${NAME:-default}`, `${NAME:?words}`. */
function fillIn(text: string): string {
  return text.replace(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_all, name: string, otherwise = '') => {
    if (!(name in filledIn)) throw new Error(`${name} is not in example.env`)
    return filledIn[name] || otherwise
  })
}

/** Names that are no settings of ours stop the test, but for Node's own. */
function readOurs(environment: Record<string, string>) {
  const { NODE_ENV, MALLOC_ARENA_MAX, ...ours } = environment
  expect(settingNames).toEqual(expect.arrayContaining(Object.keys(ours)))
  return readSettings(ours)
}

interface Service {
  build?: { context: string; dockerfile: string }
  environment?: Record<string, string | number>
  volumes?: string[]
  depends_on?: string[] | Record<string, unknown>
}

const { services }: { services: Record<string, Service> } = parse(read('.deploy/compose.yaml'))

function readEnvironment(name: string): Record<string, string> {
  const set = Object.entries(services[name]?.environment ?? {})
  return Object.fromEntries(set.map(([key, value]) => [key, fillIn(String(value))]))
}

function readDockerfile() {
  const lines = read('.deploy/Dockerfile').replaceAll('\\\n', '').split('\n')
  const readAll = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
  return { readAll, environment: Object.fromEntries(readAll('ENV').map((set) => set.split('='))) }
}

describe('the compose file', () => {
  it('sets our settings only, and such that the server starts', () => {
    const settings = readOurs({ ...readDockerfile().environment, ...readEnvironment('petrel') })
    expect(settings).toMatchObject({
      publicUrl: 'https://chat.example.org',
      trustProxy: 1,
      couchdbUrl: 'http://petrel:opensesame@couchdb:5984/',
      redisUrl: 'redis://redis:6379',
      messagesPerMinute: 6_000,
      storageQuotaBytes: 4_096 * 1024 * 1024,
    })
  })

  it('asks for all that example.env has, and for nothing else', () => {
    const names = [...read('.deploy/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
    const offered = [...read('.deploy/example.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name)
    expect([...new Set(names)].sort()).toEqual(offered.sort())
    expect(offered.sort()).toEqual(Object.keys(filledIn).sort())
  })

  it('names services, files and a login that are there', () => {
    const { couchdbUrl = '', redisUrl = '' } = readOurs(readEnvironment('petrel'))
    const hosts = [couchdbUrl, redisUrl].map((url) => new URL(url).hostname)
    const waitsFor = Object.keys(services.petrel?.depends_on ?? {})
    expect(waitsFor.sort()).toEqual(hosts.sort())
    expect(Object.keys(services)).toEqual(expect.arrayContaining(hosts))
    const { username, password } = new URL(couchdbUrl)
    expect(readEnvironment('couchdb')).toEqual({
      COUCHDB_USER: username,
      COUCHDB_PASSWORD: password,
    })
    expect(existsSync(`${top}${services.petrel?.build?.dockerfile}`)).toBe(true)
    const mounts = Object.values(services).flatMap(({ volumes = [] }) => volumes)
    for (const mount of mounts.filter((one) => one.startsWith('./'))) {
      expect(existsSync(`${top}.deploy/${mount.split(':')[0]}`)).toBe(true)
    }
  })
})

describe('the settings of CouchDB', () => {
  const set = readIni(read('.deploy/couchdb.ini'))

  it('are those of one node: one copy of each database, in one piece', () => {
    expect(services.couchdb?.volumes).toContain(
      './couchdb.ini:/opt/couchdb/etc/local.d/petrel.ini:ro',
    )
    expect(set.couchdb?.single_node).toBe('true')
    expect(set.cluster).toEqual({ n: '1', q: '1' })
  })

  it('say what a cluster sets', () => {
    expect(read('.deploy/couchdb.ini')).toMatch(/^; .*cluster of three nodes.*single_node.*n = 3/m)
  })
})

/** Sections of an ini file, each with its settings; a comment stands on a line of its own. */
function readIni(text: string): Record<string, Record<string, string>> {
  const sections = text.split(/^\[(\w+)\]$/m).slice(1)
  const pairs = sections.flatMap((name, index) => {
    if (index % 2 === 1) return []
    const lines = [...(sections[index + 1] ?? '').matchAll(/^(\w+) = (.*)$/gm)]
    return [[name, Object.fromEntries(lines.map(([, key, value]) => [key, value]))]]
  })
  return Object.fromEntries(pairs)
}

describe('the Dockerfile', () => {
  const { readAll, environment } = readDockerfile()

  it('sets our settings only, and opens the port that is listened on', () => {
    expect(String(readOurs(environment).port)).toBe(readAll('EXPOSE')[0])
    expect(readAll('VOLUME')).toEqual([environment.DATA_DIR])
    expect(read('.deploy/Dockerfile')).toContain(`http://127.0.0.1:${environment.PORT}/readyz`)
  })

  it('copies what is there, and what is not held back from it', () => {
    const copied = readAll('COPY').filter((files) => !files.startsWith('--from'))
    const sources = copied.flatMap((files) => files.split(' ').slice(0, -1))
    expect(sources.length).toBeGreaterThan(6)
    const kept = read('.deploy/Dockerfile.dockerignore').split('\n')
    for (const source of sources) {
      expect(existsSync(`${top}${source}`)).toBe(true)
      expect(kept).toContain(`!${source}`)
    }
  })

  it('takes a Node that package.json allows', () => {
    const [, wanted] = /(\d+)/.exec(JSON.parse(read('package.json')).engines.node) ?? []
    for (const image of readAll('FROM')) {
      expect(Number(/^node:(\d+)/.exec(image)?.[1])).toBeGreaterThanOrEqual(Number(wanted))
    }
  })
})

describe('the systemd unit', () => {
  const unit = read('.deploy/petrel.service')
  const set = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)]

  it('sets our settings only, where it may write', () => {
    const settings = readOurs(Object.fromEntries(set.map(([, name, value]) => [name, value])))
    const [, state] = /^StateDirectory=(.*)$/m.exec(unit) ?? []
    expect(settings.dataDir).toBe(`/var/lib/${state}`)
    expect(settings.trustProxy).toBe(1)
  })

  it('starts again whatever ended, but for what only an operator can mend', () => {
    expect(unit).toMatch(/^Restart=always$/m)
    expect(unit).toMatch(new RegExp(`^RestartPreventExitStatus=${settingsExitCode}$`, 'm'))
  })

  it('starts what the image starts, and gives it time to stop', () => {
    const [, started = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? []
    const words = started.split(' ').map((word) => JSON.stringify(word))
    expect(read('.deploy/Dockerfile')).toContain(`CMD [${words.join(', ')}]`)
    expect(read('.run/pack.mjs')).toContain(`bin: { ${started.split(' ')[0]}: `)
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(10)
  })
})

describe('the Caddyfile', () => {
  it('passes to where the server listens', () => {
    const caddy = read('.deploy/Caddyfile')
    const { host, port } = readSettings({})
    expect(caddy).toContain(`{$PETREL_UPSTREAM:${host}:${port}}`)
    const { PETREL_UPSTREAM } = readEnvironment('proxy')
    expect(PETREL_UPSTREAM).toBe(`petrel:${readDockerfile().environment.PORT}`)
  })
})

it.each(['petrel.service', 'Caddyfile'])('the README shows %s as it is', (file) => {
  expect(read('README.md')).toContain(read(`.deploy/${file}`).trim())
})
