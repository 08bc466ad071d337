import * as z from 'zod/mini'
import { wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { createInbox, type InboxCommand } from '../../database/inbox/inbox.ts'
import { readSignedIn } from './read-signed-in.ts'
import type { WorkerScope } from './worker-scope.ts'

export const syncTag = 'petrel-inbox'
const sendMs = 15_000

/** The message that an answer is about; the whole schemas would make the worker's script larger. */
const answered = {
  reply: z.object({ _id: z.string() }),
  read: z.object({ messageId: z.string() }),
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
    const outcome = await send(origin, signIn.token, command)
    if (outcome === 'done') await inbox.dropCommand(command.id)
    if (outcome === 'later') return 'later'
  }
  return 'done'
}

async function send(
  origin: string,
  token: string,
  command: InboxCommand,
): Promise<'done' | 'refused' | 'later'> {
  const [method, path, body] =
    command.kind === 'reply'
      ? [
          'POST',
          '/messages',
          { _id: command.id, recipientId: command.peerId, content: command.text },
        ]
      : ['PUT', `/messages/${command.messageId}/status`, { status: 'read' }]
  try {
    const response = await fetch(`${origin}/api${path}`, {
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

function isAnswer(body: unknown, command: InboxCommand): boolean {
  if (command.kind === 'reply') return answered.reply.safeParse(body).data?._id === command.id
  return answered.read.safeParse(body).data?.messageId === command.messageId
}
