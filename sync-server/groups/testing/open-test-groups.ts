import { v7 as uuidv7 } from 'uuid'
import type { AppOverrides } from '../../app-overrides.ts'
import { openTestSocket } from '../../testing/open-test-socket.ts'
import { startTestApp, type TestPerson } from '../../testing/start-test-app.ts'

export type TestGroups = Awaited<ReturnType<typeof openTestGroups>>

const names = ['Ann', 'Ben', 'Cyd', 'Dan', 'Eve'] as const

/** For tests: the running app with groups, and five people. */
export async function openTestGroups(
  env: Record<string, string> = {},
  overrides: AppOverrides = {},
) {
  const app = await startTestApp({ GROUPS: 'on', ...env }, overrides)
  const registered = await app.registerAll(names)
  const people = registered as [TestPerson, TestPerson, TestPerson, TestPerson, TestPerson]
  const [ann] = people

  const ask = (person: TestPerson, method: string, path: string, body?: unknown, key?: string) =>
    app.call(method, path, {
      token: person.token,
      body,
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })

  return {
    app,
    people,
    ask,
    close: app.close,

    /** A person's line, with what it understands. Close its `socket`. */
    async connect({ token }: TestPerson, understands: readonly string[] = ['groups']) {
      const socket = await openTestSocket({ url: app.url, token, understands })
      await socket.untilGreeted()
      return socket
    },

    /** Ann's group with these people. */
    async openGroup(...others: TestPerson[]) {
      const memberIds = others.map(({ userId }) => userId)
      const made = await ask(ann, 'POST', '/api/groups', { name: 'Hikes', memberIds })
      if (made.status !== 201) throw new Error(`no group was made: ${made.text}`)
      const id: string = made.body.group._id
      const path = `/api/groups/${id}`
      const read = async (person = ann) => (await ask(person, 'GET', path)).body.group
      return {
        id,
        path,
        read,
        lastPlace: async (): Promise<number> => (await read()).lastPlace,
        rolesOf: async () =>
          Object.fromEntries(
            (await read()).members.map(({ userId, role }: { userId: string; role: string }) => [
              people.find((one) => one.userId === userId)?.username,
              role,
            ]),
          ),
        say: async (from: TestPerson, content: string) =>
          await ask(from, 'POST', '/api/messages', { recipientId: id, content }),
        /** What this person reads over REST: words, and each line's kind in brackets. */
        wordsOf: async (person: TestPerson, query = ''): Promise<string[]> => {
          const answer = await ask(person, 'GET', `/api/messages/${id}${query}`)
          const shown: { content: string; isSystem?: boolean }[] = answer.body
          return shown.map(({ content, isSystem }) => (isSystem ? '[line]' : content))
        },
        push: async (from: TestPerson, ...docs: object[]) =>
          await ask(from, 'POST', `/sync/groups/${id}/_bulk_docs`, { docs }),
        /** A message as a device writes it. */
        write: (from: TestPerson, content: string, rest = {}) => ({
          _id: uuidv7(),
          peerId: id,
          senderId: from.userId,
          recipientId: id,
          content,
          createdAt: Date.now(),
          orderedAt: Date.now(),
          status: 'sending',
          ...rest,
        }),
        /** Raises this person's marks, as their device does. */
        mark: async (person: TestPerson, marks: { deliveredUpTo?: number; readUpTo?: number }) =>
          await ask(person, 'POST', '/sync/conversations/_bulk_docs', {
            docs: [{ _id: id, ...marks }],
          }),
        /** This person's own conversation document; undefined if there is none. */
        conversationOf: async (person: TestPerson) => {
          const { status, body } = await ask(person, 'GET', `/sync/conversations/${id}`)
          return status === 200 ? body : undefined
        },
      }
    },
  }
}

/** A refusal as tests compare it. */
export const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body?.code,
]
