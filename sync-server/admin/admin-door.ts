import { chmod, unlink } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { wordsOf } from '../../schema/helpers/text.ts'
import { ActionRefused, type ActionResult, type AdminAction } from './admin-actions.ts'
import type { Actor } from './admin-store.ts'

const bodyMaxBytes = 64 * 1024 * 1024
/** What systems take as the path of a socket. */
const pathMaxBytes = 100

const asked = z.object({ action: z.string(), input: z.unknown() })
const answered = z.union([
  z.object({ isDone: z.literal(true), result: z.record(z.string(), z.unknown()) }),
  z.object({ isDone: z.literal(false), words: z.string() }),
])

/** Nobody listens there. */
export class DoorClosed extends Error {
  override name = 'DoorClosed'
}

/** Where a server with this folder takes the commands of its operator. */
export function nameDoor(dataDir: string): string {
  return join(dataDir, 'admin.sock')
}

/**
 * Runs an action with its parsed input.
 * @throws ActionRefused for an unknown action or an input that it does not take
 */
async function runAction(
  actions: ReadonlyMap<string, AdminAction>,
  given: { action: string; input: unknown; actor: Actor },
): Promise<ActionResult> {
  const found = actions.get(given.action)
  if (!found)
    throw new ActionRefused(
      `This server knows no “${given.action}”. Is it older than this command?`,
    )
  const parsed = found.input.safeParse(given.input)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue?.path.join('.') || 'the input'
    const isWorded = issue !== undefined && issue.message !== 'Invalid input'
    throw new ActionRefused(isWorded ? `${issue.message}.` : `${where} is not valid.`)
  }
  return await found.run(parsed.data, given.actor)
}

/**
 * Takes commands over a socket that only this user can open: whoever can read the data may
 * administer them.
 * @returns undefined where no socket can be: its path is too long, or another server has it
 */
export async function openAdminDoor(options: {
  dataDir: string
  actions: ReadonlyMap<string, AdminAction>
  onError: (error: unknown) => void
}) {
  const { dataDir, actions, onError } = options
  const path = nameDoor(dataDir)
  if (Buffer.byteLength(path) > pathMaxBytes || process.platform === 'win32') return undefined
  if (await isAnswered(path)) return undefined
  await unlink(path).catch(ignoreMissing)
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      onError(error)
      send(response, { isDone: false, words: `It failed: ${wordsOf(error)}` })
    })
  })
  // A backup or a deletion takes what it takes.
  server.requestTimeout = 0

  async function answer(incoming: IncomingMessage, response: ServerResponse) {
    const { action, input } = asked.parse(JSON.parse(await readAll(incoming)))
    try {
      const result = await runAction(actions, { action, input, actor: { kind: 'operator' } })
      send(response, { isDone: true, result })
    } catch (error) {
      if (!(error instanceof ActionRefused)) throw error
      send(response, { isDone: false, words: error.message })
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  await chmod(path, 0o600)
  return {
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/**
 * Asks the server that has this folder.
 * @throws ActionRefused with the server's words
 * @throws DoorClosed when none runs
 */
export async function askServer(
  dataDir: string,
  asking: { action: string; input: unknown },
): Promise<ActionResult> {
  const text = await post(nameDoor(dataDir), JSON.stringify(asking))
  const answer = answered.parse(JSON.parse(text))
  if (!answer.isDone) throw new ActionRefused(answer.words)
  return answer.result
}

function post(socketPath: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method: 'POST', path: '/' }, (response) => {
      readAll(response).then(resolve, reject)
    })
    sent.once('error', (error: NodeJS.ErrnoException) => {
      const isClosed = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(error.code ?? '')
      reject(isClosed ? new DoorClosed('No server listens there.', { cause: error }) : error)
    })
    sent.end(body)
  })
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bodyMaxBytes) throw new Error('This is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks.map((chunk) => new Uint8Array(chunk))).toString('utf8')
}

function send(response: ServerResponse, answer: z.input<typeof answered>) {
  if (response.headersSent) return
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(answer))
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function ignoreMissing(error: NodeJS.ErrnoException) {
  if (error.code !== 'ENOENT') throw error
}
