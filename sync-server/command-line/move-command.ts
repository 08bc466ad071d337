import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { RequestListener, Server } from 'node:http'
import { join, resolve } from 'node:path'
import { askServer, DoorClosed } from '../admin/admin-door.ts'
import { cancelMove, type MoveDone, type MovePlace, MoveRefused, moveData } from '../backup/move.ts'
import { finishRestore, isInUse } from '../backup/restore.ts'
import type { Storage } from '../storage/storage.ts'
import { type Command, CommandRefused, type Given } from './command-line.ts'

const wrongWordsCode = 64
const backInS = 30
const progressEveryMs = 2_000

/** What people and programs hear who come while nobody else is at the server's address. */
const movingWords =
  'The server is being moved and is back soon. Nothing is lost: what you write waits on your device, and leaves by itself.'

interface Place {
  dataDir: string
  couchdbUrl: string | undefined
  jwtSecret: string | undefined
  host: string
  port: number
  /** HTTP or HTTPS, as the server there. */
  createServer: (app: RequestListener) => Server
}

interface Address {
  dataDir: string
  couchdbUrl?: string
  words: string
}

/** `petrel move`. */
export function createMoveCommand(options: {
  readPlace: (given: Given) => Place
  openStorage: (place: { dataDir: string; couchdbUrl: string | undefined }) => Storage
  print: (text: string) => void
  /** Shown beside the result: how far it is, and what else is going on. */
  tell: (text: string) => void
}): Command {
  const { readPlace, openStorage, print, tell } = options

  async function withPlaces<Result>(
    addresses: readonly Address[],
    work: (...places: MovePlace[]) => Promise<Result>,
  ): Promise<Result> {
    const opened: MovePlace[] = []
    try {
      for (const { dataDir, couchdbUrl, words } of addresses) {
        const storage = openStorage({ dataDir, couchdbUrl })
        opened.push({ storage, words })
        await storage.ready()
      }
      return await work(...opened)
    } catch (error) {
      if (error instanceof MoveRefused) throw new CommandRefused(error.message, { cause: error })
      throw error
    } finally {
      for (const { storage } of opened) await storage.close()
    }
  }

  async function cancel(from: Address, isJson: boolean) {
    const fence = await withPlaces([from], async (place) => place && (await cancelMove(place)))
    if (!fence) throw new CommandRefused(`No move of ${from.words} is under way.`)
    const lost =
      fence.state === 'moved' ? ` What came since the move is in ${fence.place}, and not here.` : ''
    print(
      isJson
        ? `${JSON.stringify({ stays: from.words, place: fence.place })}\n`
        : `The data stay in ${from.words}: start the server.${lost}\n`,
    )
  }

  return {
    summary: 'moves all data from DATA_DIR to a CouchDB, or back, while the server is stopped',
    options: {
      to: { kind: 'value', help: 'https://name:password@host:6984/ of a CouchDB, or a folder' },
      cancel: { kind: 'flag', help: 'stays: lets the server start here again' },
      json: { kind: 'flag', help: 'answers with JSON, for scripts' },
      'data-dir': { kind: 'value', help: 'the folder of the server: DATA_DIR, or ./data' },
    },
    details:
      'What is moved lies where the settings say: in DATA_DIR, or in COUCHDB_URL. The new place has to be\n' +
      'empty. All is compared in the end, by counts and hashes; what was there stays as it was, and no server\n' +
      'starts on it by mistake. Killed on the way, the same command goes on. Meanwhile it answers at PORT\n' +
      'that the server is being moved.',
    async run(given) {
      const { to: words, json, cancel: isCancel } = given.options
      const settings = readPlace(given)
      const from = fromSettings(settings)
      await requireStopped(from, settings.dataDir)
      if (isCancel) return await cancel(from, json === true)
      if (typeof words !== 'string') {
        throw new CommandRefused('Say where to: `petrel move --to <CouchDB or folder>`.', {
          exitCode: wrongWordsCode,
        })
      }
      const to = readAddress(words)
      if (to.words === from.words) {
        throw new CommandRefused(`The data are in ${from.words} already.`)
      }
      // A kill in the middle of a restore leaves its last step to the next start.
      if (!from.couchdbUrl) finishRestore(from.dataDir)
      if (!to.couchdbUrl) {
        await mkdir(to.dataDir, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
          throw new CommandRefused(`${to.dataDir} cannot be used as a folder.`, { cause })
        })
        await requireStopped(to, to.dataDir)
      }
      const sign = await putUpSign(settings, tell)
      const state = { toldAt: Number.NEGATIVE_INFINITY }
      const stop = () => {
        tell('Stopped on the way. Nothing is lost: the same command goes on.\n')
        process.exit(1)
      }
      process.once('SIGINT', stop)
      process.once('SIGTERM', stop)
      try {
        const done = await withPlaces([from, to], async (source, target) => {
          if (!source || !target) throw new CommandRefused('Two places are needed.')
          return await moveData({
            from: source,
            to: target,
            onProgress({ database, done, of }) {
              if (performance.now() - state.toldAt < progressEveryMs) return
              state.toldAt = performance.now()
              tell(`${done} of ${of}: ${database}\n`)
            },
          })
        })
        const next = await describeNext({ settings, from, to, done })
        print(json ? `${JSON.stringify({ ...done, next })}\n` : describeDone(done, to, next))
      } finally {
        process.removeListener('SIGINT', stop)
        process.removeListener('SIGTERM', stop)
        sign?.closeAllConnections()
        sign?.close()
      }
    },
  }
}

function fromSettings({ dataDir, couchdbUrl }: Place): Address {
  return couchdbUrl ? { ...readAddress(couchdbUrl), dataDir } : readAddress(dataDir)
}

function readAddress(words: string): Address {
  if (/^https?:\/\//i.test(words)) {
    if (!URL.canParse(words)) throw new CommandRefused(`--to is no address of a CouchDB.`)
    const { origin, pathname } = new URL(words)
    return { dataDir: '', couchdbUrl: words, words: `${origin}${pathname}` }
  }
  if (/^[a-z]+:\/\//i.test(words)) {
    throw new CommandRefused('--to takes https://… of a CouchDB, or a folder.')
  }
  return { dataDir: resolve(words), words: resolve(words) }
}

async function requireStopped({ couchdbUrl, words }: Address, dataDir: string) {
  const isRunning = couchdbUrl ? await isAnswering(dataDir) : await isInUse(dataDir)
  if (isRunning) {
    throw new CommandRefused(`A server works on ${words}. Stop it first: nothing was changed.`)
  }
  // Opening a folder would make an empty store in it.
  if (!couchdbUrl && !existsSync(dataDir)) {
    throw new CommandRefused(`There is no folder ${dataDir}: see DATA_DIR.`)
  }
}

/** A server on a CouchDB has a folder too, for the commands of its operator. */
async function isAnswering(dataDir: string): Promise<boolean> {
  try {
    await askServer(dataDir, { action: 'health', input: {} })
    return true
  } catch (error) {
    return !(error instanceof DoorClosed)
  }
}

/** Answers at the server's address as long as it is being moved. */
async function putUpSign(
  settings: Place,
  tell: (text: string) => void,
): Promise<Server | undefined> {
  const server = settings.createServer((request, response) => {
    const isPage = request.headers.accept?.includes('text/html') ?? false
    const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="${backInS}"><title>Petrel is being moved</title><p>${movingWords}</p></html>`
    const body = isPage ? page : JSON.stringify({ error: movingWords, code: 'storage_unavailable' })
    response.writeHead(503, {
      'content-type': `${isPage ? 'text/html' : 'application/json'}; charset=utf-8`,
      'retry-after': String(backInS),
      'cache-control': 'no-store',
    })
    response.end(request.method === 'HEAD' ? undefined : body)
    // What is sent is not read.
    request.resume()
  })
  return await new Promise((resolved) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      tell(
        `Nobody is told that the server is being moved: ${settings.host}:${settings.port} cannot be listened on (${error.code}). Does a server run there?\n`,
      )
      resolved(undefined)
    })
    server.listen(settings.port, settings.host, () => resolved(server))
  })
}

/** What the operator has to set, so that people stay signed in. */
async function describeNext(given: {
  settings: Place
  from: Address
  to: Address
  done: MoveDone
}): Promise<string> {
  const { settings, from, to, done } = given
  const groups =
    done.groups > 0 && to.couchdbUrl
      ? ` ${done.groups} groups came along, but no server on a CouchDB serves them: they wait until the data are back in a folder.`
      : ''
  if (to.couchdbUrl) {
    const secret = settings.jwtSecret
      ? 'JWT_SECRET as it is'
      : `JWT_SECRET set to what is in ${join(from.dataDir, 'jwt-secret')}`
    return `Start the server with COUCHDB_URL, and ${secret}: people stay signed in.${groups}`
  }
  const path = join(to.dataDir, 'jwt-secret')
  const secret =
    settings.jwtSecret ?? (await readFile(join(from.dataDir, 'jwt-secret'), 'utf8').catch(() => ''))
  const there = (await readFile(path, 'utf8').catch(() => '')).trim()
  if (secret && !there) await writeFile(path, secret, { mode: 0o600 })
  const isOther = secret && there && there !== secret.trim()
  const keep = isOther
    ? `, and JWT_SECRET as it is: ${path} has another one, which would sign everybody out`
    : ''
  return `Start the server with DATA_DIR=${to.dataDir} and without COUCHDB_URL${keep}.`
}

function describeDone(done: MoveDone, to: Address, next: string): string {
  const { databases, documents, revisions, bytes, digest, seconds } = done
  const files = `${(bytes / 1e6).toFixed(1)} MB of files`
  return [
    `All is in ${to.words}, and the same as before: ${documents} documents with ${revisions} revisions and ${files} in ${databases} databases, in ${seconds.toFixed(1)} s.`,
    `The hash over all: ${digest}`,
    next,
    '',
  ].join('\n')
}
