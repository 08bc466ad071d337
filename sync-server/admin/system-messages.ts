import { randomBytes } from 'node:crypto'
import type { Accounts } from '../access/accounts.ts'
import type { Relations } from '../access/relations.ts'
import type { Acceptance } from '../messages/message-acceptance.ts'
import { proposeMessage } from '../messages/proposals/proposal.ts'
import type { AdminStore } from './admin-store.ts'

/** The first that nobody has. */
const names = ['Petrel', 'Petrel.server', 'Petrel.news']
const about = 'Messages from whoever runs this server. Nobody reads answers here.'
const atOnce = 50

export type SystemMessages = ReturnType<typeof createSystemMessages>

/**
 * Messages to people from whoever runs the server, as a conversation with an account that nobody
 * can sign in to. They pass the same rule as any other (P4).
 */
export function createSystemMessages(options: {
  store: AdminStore
  accounts: Accounts
  acceptMessages: Acceptance['acceptMessages']
  relations: Pick<Relations, 'areApart'>
}) {
  const { store, accounts, acceptMessages, relations } = options
  const known = { userId: undefined as string | undefined }

  async function createAccount(): Promise<string> {
    const tail = randomBytes(6).toString('hex')
    for (const username of [...names, `Petrel.${tail}`]) {
      // No password has this hash.
      const made = { username, email: `system-${tail}@localhost.invalid`, passwordHash: '-' }
      const outcome = await accounts.register(made)
      if (outcome.kind !== 'done') continue
      const { userId } = outcome.account
      await accounts.changeProfile(userId, { status: about })
      await store.keepSystemId(userId)
      return (await store.readSystemId()) ?? userId
    }
    throw new Error('No name is left for announcements.')
  }

  async function findAccount(): Promise<string> {
    known.userId ??= (await store.readSystemId()) ?? (await createAccount())
    return known.userId
  }

  return {
    /** Is this the account that announcements come from, as this server has used it? */
    isSystem: (userId: string) => userId === known.userId,

    /** Does this person see what is sent? A block keeps it from them without a word. */
    isHeardBy: async (userId: string) => !(await relations.areApart(userId, await findAccount())),

    /** @returns how many people it was stored for */
    async send(userIds: readonly string[], content: string): Promise<number> {
      const senderId = await findAccount()
      const others = userIds.filter((userId) => userId !== senderId)
      let sent = 0
      for (let start = 0; start < others.length; start += atOnce) {
        const proposals = others
          .slice(start, start + atOnce)
          .map((recipientId) => proposeMessage({ senderId, recipientId, message: { content } }))
        const outcomes = await acceptMessages({ actorId: senderId, proposals })
        sent += outcomes.filter((one) => one.kind !== 'absent' && !one.refusal).length
      }
      return sent
    },
  }
}
