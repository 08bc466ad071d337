import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proposeMessage } from '../messages/proposals/proposal.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import { holdTestBody, openTestRequest, readTestLevel } from '../testing/open-test-request.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { fileHead, testBytes, writeForm } from '../testing/test-files.ts'

const opened = {} as { app: TestApp; ben: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp()
  opened.ben = await opened.app.register('Ben')
})
afterAll(() => opened.app.close())

const people = ['Ann', 'Anna', 'Anne', 'Annie', 'Anita', 'Anja', 'Anouk', 'Antje', 'Anya', 'Anka']
const registerNext = () => opened.app.register(people.shift() ?? `ann${uuidv7().slice(-12)}`)

const logOut = ({ token }: TestPerson) => opened.app.call('POST', '/api/auth/logout', { token })
const leave = (person: TestPerson) => opened.app.leave(person)

/** Every request with a body, as sent by a person about to be deleted. */
const bodies = {
  'a push': ({ userId }: TestPerson, content: string) => {
    const message = { content, _id: uuidv7() }
    const proposed = { senderId: userId, recipientId: opened.ben.userId, message }
    const body = { docs: [proposeMessage(proposed).raw] }
    return { method: 'POST', path: '/sync/messages/_bulk_docs', body }
  },
  'a document': ({ userId }: TestPerson, content: string) => {
    const message = { content, _id: uuidv7() }
    const proposed = { senderId: userId, recipientId: opened.ben.userId, message }
    const body = proposeMessage(proposed).raw
    return { method: 'PUT', path: `/sync/messages/${message._id}`, body }
  },
  'a message': (_author: TestPerson, content: string) => {
    const body = { recipientId: opened.ben.userId, content }
    return { method: 'POST', path: '/api/messages', body }
  },
  'a change of the profile': (_author: TestPerson, status: string) => {
    return { method: 'PUT', path: '/api/users/profile', body: { status } }
  },
  'a poll’s event': (_author: TestPerson, message: string) => {
    const data = { recipientId: opened.ben.userId, message }
    const body = { poller: uuidv7(), events: [{ event: 'send-message', data }] }
    return { method: 'POST', path: '/poll', body }
  },
}

/** Sends only the first bytes of each. */
function holdAll(ann: TestPerson, words: string) {
  const { port } = opened.app
  return Promise.all(
    Object.values(bodies).map((make) =>
      holdTestBody({ port, token: ann.token, ...make(ann, words) }),
    ),
  )
}

const level = (name: string) => readTestLevel(opened.app, name)

async function readAllOfBen() {
  const path = '/sync/messages/_all_docs?include_docs=true'
  const { text } = await opened.app.call('GET', path, { token: opened.ben.token })
  return text
}

describe('P12: a body whose sign-in ends while it comes', () => {
  it.each(Object.entries(bodies))('is answered at once, and not heard: %s', async (_what, make) => {
    const ann = await registerNext()
    const { port } = opened.app
    const held = await holdTestBody({ port, token: ann.token, ...make(ann, 'too late') })
    // One of them is the question itself.
    await expect.poll(() => level('petrel_open_requests')).toBe(2)
    expect((await logOut(ann)).status).toBe(200)
    const { status, text } = await held.closed
    expect(status).toBe(401)
    expect(text).toContain("You've been signed out. Sign in to continue.")
    held.sendRest()
    expect(await readAllOfBen()).not.toContain('too late')
  })

  it('is not heard although its last bytes cross the sign-out', async () => {
    const ann = await registerNext()
    const held = await holdAll(ann, 'just in time')
    const left = logOut(ann)
    for (const one of held) one.sendRest()
    expect((await left).status).toBe(200)
    for (const one of held) {
      await expect.poll(one.status).toBeGreaterThan(0)
      one.hangUp()
    }
    const after = await opened.app.call('GET', '/api/users/me', { token: ann.token })
    expect(after.status).toBe(401)
  })

  it('brings nothing back of an account that was deleted', async () => {
    const ann = await registerNext()
    const held = await holdAll(ann, 'too late')
    expect((await leave(ann)).status).toBe(200)
    for (const one of held) {
      one.sendRest()
      expect((await one.closed).status).toBe(401)
    }
    const kept = await opened.app.whileStopped(async (storage) => {
      const names = [nameMessagesDatabase(ann.userId), nameConversationsDatabase(ann.userId)]
      return await Promise.all(names.map((name) => storage.database(name).info()))
    })
    expect(kept.map(({ docCount }) => docCount)).toEqual([0, 0])
    expect(await readAllOfBen()).not.toContain('too late')
  })
})

describe('P12: an upload whose sign-in ends while it comes', () => {
  const form = writeForm([{ head: fileHead(), body: testBytes.png(600_000) }])
  const hold = async ({ token }: TestPerson, sent: number) => {
    const held = await openTestRequest({
      port: opened.app.port,
      method: 'POST',
      path: '/api/messages/upload',
      token,
      headers: {
        'content-type': 'multipart/form-data; boundary=petrel',
        'content-length': String(form.length),
      },
    })
    held.send(form.subarray(0, sent))
    return { ...held, sendRest: () => held.send(form.subarray(sent)) }
  }
  const listFiles = () =>
    opened.app.whileStopped(async (storage) =>
      (await storage.database('media').range({})).map(({ _id }) => _id),
    )
  const countUploads = () => level('petrel_uploads')

  it.each([5, 400_000, form.length - 4])(
    'is answered at once, and leaves nothing: after %i bytes',
    async (sent) => {
      const [ann, anna] = [await registerNext(), await registerNext()]
      const held = [await hold(ann, sent), await hold(anna, sent)]
      await expect.poll(countUploads).toBe(2)
      expect([(await logOut(ann)).status, (await leave(anna)).status]).toEqual([200, 200])
      for (const one of held) {
        expect((await one.closed).status).toBe(401)
        one.sendRest()
      }
      await expect.poll(countUploads).toBe(0)
      expect(await listFiles()).toEqual([])
    },
  )

  it('leaves nothing although its last bytes cross the end of the account', async () => {
    const anna = await registerNext()
    const held = await hold(anna, form.length - 4)
    await expect.poll(countUploads).toBe(1)
    const left = leave(anna)
    held.sendRest()
    expect((await left).status).toBe(200)
    await expect.poll(held.status).toBeGreaterThan(0)
    held.hangUp()
    expect(await listFiles()).toEqual([])
  })
})
