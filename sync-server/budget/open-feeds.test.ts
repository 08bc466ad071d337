import jwt from 'jsonwebtoken'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../../schema/limits.ts'
import { openTestPoller } from '../testing/open-test-poller.ts'
import { openTestRequest, readTestLevel, type TestRequest } from '../testing/open-test-request.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { fileHead, testBytes, uploadFile, writeForm } from '../testing/test-files.ts'

const fileBytes = 40 * 1024 * 1024
const secret = 'a secret that is for this test alone'
const opened = {} as { app: TestApp; ann: TestPerson; file: string }
beforeAll(async () => {
  opened.app = await startTestApp({ JWT_SECRET: secret, UPLOAD_LIMIT_MB: '100' })
  opened.ann = await opened.app.register('Ann')
  const bytes = testBytes.png(fileBytes)
  opened.file = (await uploadFile(opened.app, opened.ann, { bytes })).body.mediaUrl
})
afterAll(() => opened.app.close())

async function signIn(): Promise<string> {
  const body = { username: 'Ann', password: opened.ann.password }
  return (await opened.app.call('POST', '/api/auth/login', { body })).body.token
}

/** The same sign-in, with a token that expires soon. */
async function signInBriefly(): Promise<string> {
  const { sub, sid } = jwt.decode(await signIn()) as { sub: string; sid: string }
  const exp = Math.floor(Date.now() / 1_000) + 8
  return jwt.sign({ sub, sid, exp, iss: 'petrel', aud: 'petrel' }, secret)
}

const signOut = (token: string) => opened.app.call('POST', '/api/auth/logout', { token })

function readFeed(token: string, query: string) {
  const path = `/sync/messages/_changes?since=now&${query}`
  return openTestRequest({ port: opened.app.port, token, path })
}

const level = (name: string) => readTestLevel(opened.app, name)

/** Shorter than a feed's own wait, after which it would end anyway. */
const atOnce = { timeout: limits.syncPollMaxMs - 5_000 }

/** Everything that can stay open for long, and how to detect that it has begun. */
const feeds: Record<string, (token: string) => Promise<TestRequest>> = {
  async 'a long poll'(token) {
    const feed = await readFeed(token, 'feed=longpoll')
    await expect.poll(() => level('petrel_waiting_feeds')).toBeGreaterThan(0)
    return feed
  },
  async 'a long poll with heartbeats'(token) {
    const feed = await readFeed(token, 'feed=longpoll&heartbeat=60000')
    await expect.poll(feed.text).toContain('results')
    return feed
  },
  async 'a continuous feed'(token) {
    const feed = await readFeed(token, 'feed=continuous&heartbeat=1000')
    await expect.poll(feed.text).toContain('\n')
    return feed
  },
  async 'an upload'(token) {
    const form = writeForm([{ head: fileHead(), body: testBytes.png(600_000) }])
    const upload = await openTestRequest({
      port: opened.app.port,
      token,
      method: 'POST',
      path: '/api/messages/upload',
      headers: {
        'content-type': 'multipart/form-data; boundary=petrel',
        'content-length': String(form.length),
      },
    })
    upload.send(form.subarray(0, 400_000))
    await expect.poll(() => level('petrel_uploads')).toBe(1)
    return upload
  },
  async 'a download that is not read'(token) {
    const { port } = opened.app
    const download = await openTestRequest({ port, token, path: opened.file, isUnread: true })
    await expect.poll(() => level('petrel_bytes_in_flight')).toBeGreaterThan(0)
    return download
  },
}

describe('P12: what is open ends with its sign-in', () => {
  it.each(Object.entries(feeds))('%s, when that is ended', atOnce, async (_what, open) => {
    const token = await signIn()
    const feed = await open(token)
    expect((await signOut(token)).status).toBe(200)
    await expectEnd(feed)
  })

  it('all of it, when that runs out', atOnce, async () => {
    const token = await signInBriefly()
    // One after the other they may take a slow machine longer than the token lives.
    const open = await Promise.all(Object.values(feeds).map((begin) => begin(token)))
    for (const feed of open) await expectEnd(feed)
  })

  it('a poll for events, either way', atOnce, async () => {
    const [ended, over] = [await signIn(), await signInBriefly()]
    const { url } = opened.app
    const pollers = [ended, over].map((token) => openTestPoller({ url, token }))
    for (const { last } of pollers) {
      await expect.poll(() => last('users-online')).toContain(opened.ann.userId)
    }
    await signOut(ended)
    expect(await Promise.all(pollers.map((poller) => poller.ended))).toEqual([401, 401])
  })

  it('and nobody else’s does', atOnce, async () => {
    const [token, other] = [await signIn(), await signIn()]
    const feed = await readFeed(other, 'feed=continuous&heartbeat=1000')
    await expect.poll(feed.text).toContain('\n')
    await signOut(token)
    const before = feed.text().length
    await expect.poll(() => feed.text().length).toBeGreaterThan(before)
    feed.hangUp()
    await expect.poll(() => level('petrel_open_requests')).toBe(1)
  })
})

/** What has not begun gets a refusal; the rest breaks off. */
async function expectEnd(feed: TestRequest) {
  // One of them is the question itself.
  await expect.poll(() => level('petrel_open_requests')).toBe(1)
  feed.read()
  await expect.poll(() => feed.isClosed() || feed.status() === 401).toBe(true)
  expect([200, 401]).toContain(feed.status())
  if (feed.status() === 401) {
    expect(feed.text()).toContain("You've been signed out. Sign in to continue.")
  }
  expect(feed.text().length).toBeLessThan(fileBytes)
  feed.hangUp()
}
