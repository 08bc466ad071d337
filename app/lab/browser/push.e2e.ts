import { fileURLToPath } from 'node:url'
import { v7 as createId } from 'uuid'
import { afterAll, expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { startPushService } from '../../../sync-server/testing/start-push-service.ts'
import { startTestApp } from '../../../sync-server/testing/start-test-app.ts'
import { readSession, registerPerson } from './account-steps.ts'
import { chatRow, message, readTicks } from './chat-steps.ts'
import { groupHeading } from './group-steps.ts'
import { createPerson } from './person.ts'
import { giveSubscription, openPushBrowser } from './push-browser.ts'

const appDir = fileURLToPath(new URL('../../../dist/app', import.meta.url))
const service = await startPushService()
const app = await startTestApp({}, { appDir, isLoopbackPushAllowed: true })
const ben = await app.register('ben')
const ann = await createPerson(app, 'ann', { keepsApp: true, hasWholeBrowser: true })
await ann.profile.context.grantPermissions(['notifications'])
await giveSubscription(ann.profile.context, service.subscribe())
await registerPerson(ann)
const { userId: annId } = await readSession(ann)
const browser = await openPushBrowser(ann.page, ann.network.origin)

afterAll(async () => {
  await ann.close()
  await app.close()
  await service.close()
})

async function write(content: string, _id = createId()) {
  const body = { _id, recipientId: annId, content }
  const answer = await app.call('POST', '/api/messages', { token: ben.token, body })
  expect(answer.status).toBe(201)
  return answer.body._id as string
}

/** The next push that the server sends, handed to Ann's browser. */
async function receive(messageId: string) {
  const find = () => service.taken.find(({ payload }) => payload.messageIds.includes(messageId))
  await expect.poll(find).toBeDefined()
  const payload = find()?.payload
  if (payload) await browser.deliver(payload)
}

const readBen = async () => {
  const answer = await app.call('GET', `/api/messages/${annId}`, { token: ben.token })
  return answer.body as { content: string; status: string }[]
}

/** A visible page closes all notifications when it first looks, a second and more after it is drawn. */
async function untilPageLooked() {
  const isLooking = () =>
    ann.page.evaluate(async () => {
      const { held } = await navigator.locks.query()
      return held?.some(({ name }) => name === 'petrel-visible')
    })
  await expect.poll(isLooking).toBe(true)
  // It asks this of the browser when it takes the lock, and is answered first.
  await ann.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    await registration?.getNotifications()
  })
}

test('a notification opens its chat in the page that is there, also on a first visit', async () => {
  await untilPageLooked()
  expect(await ann.page.evaluate(() => navigator.serviceWorker.controller)).toBeNull()
  const path = `/chat/${ben.userId}`
  await ann.page.evaluate(async (path) => {
    const registration = await navigator.serviceWorker.ready
    await registration.showNotification('ben', { data: { path } })
  }, path)
  await expect.poll(browser.listShown).toHaveLength(1)
  // Without a real tap the browser refuses to focus a page, and to open another one.
  await browser.act('').catch(() => {})
  await ann.page.waitForURL(`**${path}`)
  await expect.poll(browser.listShown).toEqual([])
})

test('a push brings the message and one notification for its chat; opening it needs no network', async () => {
  await ann.page.goto('/settings/notifications')
  await ann.page.getByText('even when Petrel is closed').waitFor()
  await ann.page.getByRole('button', { name: 'Turn off notifications' }).click()
  await ann.page.getByText('Notifications are off on this device.').waitFor()
  await ann.page.getByRole('button', { name: 'Turn on notifications' }).click()
  await ann.page.getByText('even when Petrel is closed').waitFor()
  await ann.page.goto('about:blank')
  await receive(await write('the first'))
  await expect
    .poll(browser.listShown)
    .toEqual([{ title: 'ben', body: 'the first', tag: ben.userId }])
  await receive(await write('the second'))
  await expect
    .poll(browser.listShown)
    .toEqual([{ title: 'ben', body: '2 new messages\nthe second', tag: ben.userId }])
  // No page is open: the service worker has stored both, and says so.
  await expect.poll(async () => (await readBen()).at(-1)?.status).toBe('delivered')
  await ann.goOffline()
  await ann.page.goto(`/chat/${ben.userId}`)
  await message(ann.page, 'the first').waitFor()
  await message(ann.page, 'the second').waitFor()
  await expect.poll(browser.listShown).toEqual([])
  await ann.goOnline()
})

test('P1: a reply from the notification waits offline, and is sent once', async () => {
  await ann.page.goto('about:blank')
  await receive(await write('are you coming?'))
  await expect.poll(browser.listShown).toHaveLength(1)
  await ann.goOffline()
  await browser.act('reply', 'on my way')
  await expect.poll(browser.listShown).toEqual([])
  await ann.page.goto(`/chat/${ben.userId}`)
  await message(ann.page, 'on my way').waitFor()
  expect(await readTicks(ann.page, 'on my way')).toBe('Waiting to be sent')
  await ann.goOnline()
  const sent = async () => (await readBen()).filter(({ content }) => content === 'on my way')
  await expect.poll(sent).toHaveLength(1)
  await expect.poll(() => readTicks(ann.page, 'on my way')).not.toBe('Waiting to be sent')
  expect(await sent()).toHaveLength(1)
})

test('P1: a reply that was written without a network goes with the next push, with no page open', async () => {
  await ann.page.goto('about:blank')
  await receive(await write('and tomorrow?'))
  await expect.poll(browser.listShown).toHaveLength(1)
  await ann.goOffline()
  await browser.act('reply', 'tomorrow too')
  await expect(browser.wake()).rejects.toThrow('The server was not reached.')
  await ann.goOnline()
  await receive(await write('good'))
  const sent = async () => (await readBen()).filter(({ content }) => content === 'tomorrow too')
  await expect.poll(sent).toHaveLength(1)
  await browser.wake()
  expect(await sent()).toHaveLength(1)
})

test('a hidden page adds to the chat’s notification, and does not repeat what the worker has shown', async () => {
  const { page } = ann
  // What came before is no news of the hidden page, however late it would catch up.
  await page.goto(`/chat/${ben.userId}`)
  await message(page, 'good').waitFor()
  await expect.poll(browser.listShown).toEqual([])
  await page.addInitScript(() => {
    const recordBadge = async () => {
      globalThis.isNotifying = true
    }
    Object.assign(navigator, { setAppBadge: recordBadge, clearAppBadge: recordBadge })
  })
  await page.goto('/settings/notifications')
  await page.getByText('even when Petrel is closed').waitFor()
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await expect.poll(() => page.evaluate(() => globalThis.isNotifying)).toBe(true)
  const id = createId()
  // As the worker shows it for a push that comes before the page wakes.
  const { userId: peerId } = ben
  const data = { path: `/chat/${peerId}`, peerId, userId: annId, messageIds: [id], count: 1 }
  await page.evaluate(
    async ({ peerId, data }) => {
      const registration = await navigator.serviceWorker.ready
      await registration.showNotification('ben', { body: 'by the worker', tag: peerId, data })
      const { prototype } = ServiceWorkerRegistration
      const { showNotification } = prototype
      globalThis.shownByPage = 0
      prototype.showNotification = async function (...given) {
        await showNotification.apply(this, given)
        globalThis.shownByPage = (globalThis.shownByPage ?? 0) + 1
      }
    },
    { peerId, data },
  )
  await write('by the worker', id)
  await write('by the page')
  // One that is being shown must not be asked for.
  await expect.poll(() => page.evaluate(() => globalThis.shownByPage)).toBe(1)
  expect(await browser.listShown()).toEqual([
    { title: 'ben', body: '2 new messages\nby the page', tag: peerId },
  ])
  await page.goto('about:blank')
})

test('a push that comes after its message was read stays no longer than it has to', async () => {
  await ann.page.goto('about:blank')
  const id = await write('read before it comes')
  const find = () => service.taken.find(({ payload }) => payload.messageIds.includes(id))
  await expect.poll(find).toBeDefined()
  const body = { username: ann.username, password: ann.password }
  const other = await app.call('POST', '/api/auth/login', { body })
  const path = `/api/messages/${id}/status`
  await app.call('PUT', path, { token: other.body.token, body: { status: 'read' } })
  await browser.deliver(must(find(), 'its push').payload)
  await expect.poll(browser.listShown).toEqual([])
})

test('P8: a tab in which somebody else is signed in leaves the pushes of who is signed in for all', async () => {
  const given = { username: 'carl', email: 'carl@example.org', password: 'carl-secret' }
  const { body } = await app.call('POST', '/api/auth/register', { body: given })
  const tab = await ann.openTab('/healthz')
  await tab.evaluate(({ token, user }) => {
    sessionStorage.setItem('token', token)
    sessionStorage.setItem('user', JSON.stringify(user))
  }, body)
  await tab.goto('/settings/notifications')
  await tab.getByText('sign in with “Keep me signed in”').waitFor()
  const readTold = () => tab.evaluate(() => localStorage.getItem('push-told'))
  expect(await readTold()).not.toBeNull()
  await tab.close()
})

test('a chat that is read on another device is closed here', async () => {
  const body = { username: ann.username, password: ann.password }
  const other = await app.call('POST', '/api/auth/login', { body })
  await ann.page.goto('about:blank')
  const since = Date.now()
  const id = await write('read it anywhere')
  await receive(id)
  await expect.poll(browser.listShown).toHaveLength(1)
  const path = `/api/messages/${id}/status`
  await app.call('PUT', path, { token: other.body.token, body: { status: 'read' } })
  // There may be one already, of what was read before.
  const find = () => service.reads.find(({ payload }) => payload.readUpTo >= since)
  await expect.poll(find).toBeDefined()
  await browser.deliverRead(must(find(), 'its push').payload)
  await expect.poll(browser.listShown).toEqual([])
})

test('a push of a group shows its name and who wrote, opens without a network, and can be answered', async () => {
  await ann.page.goto('/chat')
  await chatRow(ann.page, 'ben').waitFor()
  const body = { name: 'Walks', memberIds: [annId] }
  const made = await app.call('POST', '/api/groups', { token: ben.token, body })
  const groupId: string = made.body.group._id
  await chatRow(ann.page, 'Walks').waitFor()
  await ann.page.goto('about:blank')
  const send = async (content: string) => {
    const message = { recipientId: groupId, content }
    const answer = await app.call('POST', '/api/messages', { token: ben.token, body: message })
    expect(answer.status).toBe(201)
    return answer.body._id as string
  }
  await receive(await send('at the station'))
  await expect
    .poll(browser.listShown)
    .toEqual([{ title: 'Walks', body: 'ben: at the station', tag: groupId }])
  await receive(await send('at ten'))
  await expect
    .poll(browser.listShown)
    .toEqual([{ title: 'Walks', body: '2 new messages\nben: at ten', tag: groupId }])
  await ann.goOffline()
  await browser.act('reply', 'I am coming')
  await expect.poll(browser.listShown).toEqual([])
  await ann.page.goto(`/chat/${groupId}`)
  for (const words of ['at the station', 'at ten', 'I am coming']) {
    await message(ann.page, words).waitFor()
  }
  await ann.goOnline()
  const readGroup = async () => {
    const { body } = await app.call('GET', `/api/messages/${groupId}`, { token: ben.token })
    return (body as { content: string }[]).filter(({ content }) => content === 'I am coming')
  }
  await expect.poll(readGroup).toHaveLength(1)
})

test('a muted group shows no notification, and one for a mention: with the group, who wrote and the words', async () => {
  const body = { name: 'Loud', memberIds: [annId] }
  const made = await app.call('POST', '/api/groups', { token: ben.token, body })
  const groupId: string = made.body.group._id
  await ann.page.goto('/chat')
  await chatRow(ann.page, 'Loud').click()
  await groupHeading(ann.page, 'Loud').waitFor()
  await ann.page.getByRole('button', { name: /^Group info: / }).click()
  const info = ann.page.getByRole('region', { name: 'Group info' })
  await info.getByRole('button', { name: /^Mute/ }).click()
  await ann.page.getByRole('menuitem', { name: 'Always' }).click()
  const readMuted = async () => {
    const path = '/api/messages/conversations'
    const { token } = await readSession(ann)
    const rows = (await app.call('GET', path, { token })).body as {
      _id: string
      isMuted: boolean
    }[]
    return rows.find(({ _id }) => _id === groupId)?.isMuted
  }
  await expect.poll(readMuted).toBe(true)
  await ann.page.goto('about:blank')
  const readDropped = async () => {
    const { text } = await app.call('GET', '/metrics')
    return Number(/^petrel_pushes_dropped_total (\d+)/m.exec(text)?.[1])
  }
  const before = await readDropped()
  const send = async (content: string, mentions: string[] = []) => {
    const message = { recipientId: groupId, content, mentions }
    const answer = await app.call('POST', '/api/messages', { token: ben.token, body: message })
    expect(answer.status).toBe(201)
    return answer.body._id as string
  }
  const quiet = await send('for nobody')
  await expect.poll(readDropped).toBe(before + 1)
  await receive(await send(`@${ann.username}, come`, [annId]))
  await expect
    .poll(browser.listShown)
    .toEqual([{ title: 'Loud', body: `ben mentioned you: @${ann.username}, come`, tag: groupId }])
  const pushed = service.taken.flatMap(({ payload }) => payload.messageIds)
  expect(pushed).not.toContain(quiet)
  await ann.page.goto(`/chat/${groupId}`)
  await message(ann.page, 'for nobody').waitFor()
  await expect.poll(browser.listShown).toEqual([])
})

test('Mark as read works without the app, and after signing out a push shows nothing of its message', async () => {
  await ann.page.goto('about:blank')
  await receive(await write('please read'))
  await expect.poll(browser.listShown).toHaveLength(1)
  await browser.act('read')
  await expect.poll(browser.listShown).toEqual([])
  await expect.poll(async () => (await readBen()).at(-1)?.status).toBe('read')
  const left = await write('for nobody')
  await ann.page.goto('/settings/account')
  await ann.page.getByRole('button', { name: /^Log out/ }).click()
  await ann.page
    .getByRole('dialog')
    .getByRole('button', { name: /^Log out/ })
    .click()
  await ann.page.waitForURL('**/login')
  const hasOwn = (names: string[]) => names.some((name) => name.includes(annId))
  await expect.poll(async () => hasOwn(await browser.listDatabases())).toBe(false)
  await browser.deliver({
    ...{ userId: annId, peerId: ben.userId, name: 'ben', messageIds: [left], count: 1 },
    ...{ text: 'for nobody', isPreviewHidden: false, isSilent: false },
  })
  await expect.poll(browser.listShown).toMatchObject([{ title: 'Petrel', tag: 'petrel' }])
  expect(JSON.stringify(await browser.listShown())).not.toContain('for nobody')
  expect(hasOwn(await browser.listDatabases())).toBe(false)
})

declare global {
  var isNotifying: boolean | undefined
  var shownByPage: number | undefined
}
