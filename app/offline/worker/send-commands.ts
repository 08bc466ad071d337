import * as z from 'zod/mini'
import { wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { createInbox, type InboxCommand } from '../../database/storage/inbox.ts'
import { readPushSignIn } from '../record-signed-in.ts'
import type { WorkerScope } from './worker-scope.ts'
import { openWorkerSealing } from './worker-sealing.ts'

const signIn = z.object({ userId: z.string(), token: z.string() })

export const syncTag = 'petrel-inbox'
const sendMs = 15_000

/** The message that an answer is about; the whole schemas would make the worker's script larger. */
const answered = {
  reply: z.object({ _id: z.string() }),
  read: z.object({ messageId: z.string() }),
  /** In a group the mark is its own answer. */
  mark: z.array(z.object({ ok: z.literal(true), id: z.string() })),
}

/**
 * Sends what waits in the inbox, oldest first, while the network is there. What the server refuses
 * waits for the app, which shows the refusal where the chat is (P6).
 * @returns whether another attempt would be worth it
 */
export async function sendCommands(
  scope: Pick<WorkerScope, 'location'>,
  { userId }: { userId: string },
): Promise<'done' | 'later'> {
  const signIn = await readSignedIn()
  if (signIn?.userId !== userId) return 'done'
  const inbox = createInbox({ name: `petrel-${userId}` })
  const { origin } = scope.location
  for (const command of await inbox.listCommands()) {
    const outcome = await send(origin, signIn, command)
    if (outcome === 'done') await inbox.dropCommand(command.id)
    if (outcome === 'later') return 'later'
  }
  return 'done'
}

async function send(
  origin: string,
  { userId, token }: WorkerSignIn,
  command: InboxCommand,
): Promise<'done' | 'refused' | 'later'> {
  const words = command.kind === 'reply' ? await sealWords(command, { userId, origin, token }) : {}
  if (words === 'later' || words === 'refused') return words
  const call = describeCall(command, words)
  // Which place it is only the app knows.
  if (!call) return 'refused'
  const [method, path, body] = call
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      signal: AbortSignal.timeout(sendMs),
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        [wireHeader]: String(wireVersion),
      },
      body: JSON.stringify(body),
    })
    // A hotel's sign-in page answers 200 to everything.
    if (response.ok) return isAnswer(await response.json(), command) ? 'done' : 'later'
    const isPassing = response.status >= 500 || [401, 408, 429].includes(response.status)
    return isPassing ? 'later' : 'refused'
  } catch {
    return 'later'
  }
}

function describeCall(command: InboxCommand, words: object) {
  const { id, peerId, isGroup } = command
  if (command.kind === 'reply') {
    return ['POST', '/api/messages', { _id: id, recipientId: peerId, ...words }] as const
  }
  const { messageId, upTo } = command
  if (!isGroup) return ['PUT', `/api/messages/${messageId}/status`, { status: 'read' }] as const
  if (upTo === undefined) return undefined
  const marks = { _id: peerId, deliveredUpTo: upTo, readUpTo: upTo }
  return ['POST', '/sync/conversations/_bulk_docs', { docs: [marks] }] as const
}

/** What is sealed here is what the app seals of the same reply: it stays one message (P2). */
async function sealWords(
  reply: Extract<InboxCommand, { kind: 'reply' }>,
  { userId, origin, token }: WorkerSignIn & { origin: string },
): Promise<{ content: string } | { sealed: string } | 'refused' | 'later'> {
  const sealing = await openWorkerSealing(userId)
  const found = await sealing.sealReply(reply, { origin, token })
  if (found.kind === 'sealed') return { sealed: found.sealed }
  if (found.kind === 'plain') return { content: reply.text }
  return found.kind === 'later' ? 'later' : 'refused'
}

function isAnswer(body: unknown, command: InboxCommand): boolean {
  if (command.kind === 'reply') return answered.reply.safeParse(body).data?._id === command.id
  if (command.isGroup) return answered.mark.safeParse(body).data?.[0]?.id === command.peerId
  return answered.read.safeParse(body).data?.messageId === command.messageId
}

export type WorkerSignIn = z.infer<typeof signIn>

/** Whose messages this browser may fetch; undefined while nobody has notifications on. */
export async function readSignedIn(): Promise<WorkerSignIn | undefined> {
  const read = signIn.safeParse(await readPushSignIn().catch(() => undefined))
  return read.success ? read.data : undefined
}
