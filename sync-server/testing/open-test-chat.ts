import type { AppOverrides } from '../app-overrides.ts'
import { startTestApp, type TestPerson } from './start-test-app.ts'

export type TestChat = Awaited<ReturnType<typeof openTestChat>>

/** For tests: the running app with people who can send messages over HTTP. */
export async function openTestChat(overrides: AppOverrides = {}) {
  const app = await startTestApp({}, overrides)
  const as = (person: TestPerson) => {
    const call =
      (method: string) =>
      (path: string, body?: unknown, headers = {}) =>
        app.call(method, `/api${path}`, { token: person.token, body, headers })
    return {
      get: call('GET'),
      put: call('PUT'),
      post: call('POST'),
      remove: call('DELETE'),
      leave: () => app.leave(person),
    }
  }

  return {
    app,
    as,
    register: app.register,
    close: app.close,
    /** Sends it over HTTP. @returns the message's id */
    async say(from: TestPerson, to: TestPerson, content: string, rest = {}): Promise<string> {
      const { userId: recipientId } = to
      const answer = await as(from).post('/messages', { recipientId, content, ...rest })
      if (answer.status !== 201) throw new Error(`not sent: ${answer.text}`)
      return answer.body._id
    },
    /** A person's own stored copy. */
    async readStored(person: TestPerson, id: string) {
      const answer = await app.call('GET', `/sync/messages/${id}`, { token: person.token })
      return answer.body
    },
  }
}
