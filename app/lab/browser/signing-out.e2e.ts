import { afterAll, expect, test } from 'vitest'
import { readSession, registerPerson, signIn } from './account-steps.ts'
import { composer, openChat, readTicks, say } from './chat-steps.ts'
import { createPerson } from './person.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({ keepsApp: true, hasOwnBrowser: true })
const { ann, ben, server } = people
afterAll(() => people.close())

function logOut() {
  return ann.page.getByRole('button', { name: /^Log out/ }).click()
}

async function readNames(): Promise<(string | undefined)[]> {
  return await ann.page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))
}

test('P1: logging out asks about a draft, from the settings and from the danger zone', async () => {
  await openChat(ann.page, 'ben')
  await say(ann.page, 'hello')
  // A page that is left while it stores that would owe it once more, and a tab that hangs could not send it.
  await expect.poll(() => readTicks(ann.page, 'hello')).toBe('Delivered')
  await composer(ann.page).fill('not finished')
  await ann.page.goto('/settings/account')
  await ann.page.getByRole('button', { name: 'Log out' }).click()
  await ann.page.getByText('You have a draft in 1 chat that would be lost.').waitFor()
  await ann.page.getByRole('button', { name: 'Cancel' }).click()
  await ann.page.goto('/profile')
  await ann.page.getByRole('button', { name: 'Logout' }).click()
  await ann.page.getByText('You have a draft in 1 chat that would be lost.').waitFor()
  await ann.page.getByRole('button', { name: 'Cancel' }).click()
})

test('while another tab hangs the session ends at once, and what it holds is erased when it lets go', async () => {
  const { userId } = await readSession(ann)
  const hanging = await ann.profile.context.newPage()
  await hanging.addInitScript(countTransactions)
  await hanging.goto('/chat')
  await hanging.getByRole('link', { name: 'ben' }).waitFor()
  // It idles until its request fails. An open transaction of its own would block every opening.
  void hanging
    .evaluate(async () => {
      while (openTransactions.size > 0) await new Promise((resolve) => setTimeout(resolve))
      localStorage.setItem('hangs', 'yes')
      for (;;) {
        const request = new XMLHttpRequest()
        request.open('GET', '/healthz', false)
        request.send()
      }
    })
    .catch(() => {})
  await ann.page.bringToFront()
  // Before that it would hear of the log-out, and let go in time.
  await expect.poll(() => ann.page.evaluate(() => localStorage.getItem('hangs'))).toBe('yes')
  await ann.page.goto('/settings/account')
  await ann.page.getByRole('button', { name: 'Log out' }).click()
  await ann.page.getByRole('button', { name: 'Log out and lose it' }).waitFor()
  await logOut()
  await ann.page.waitForURL('**/login')
  expect((await readSession(ann)).token).toBe('')
  // A new sign-in now shows why it must wait.
  await signInUnloaded()
  await ann.page.getByText('Close the other tabs of Petrel, then try again.').waitFor()
  // Its chats are gone with its page, and it reloads them like any other.
  const reloaded = hanging.waitForEvent('load')
  ann.network.cut()
  await reloaded
  ann.network.mend()
  await ann.page.getByRole('button', { name: 'Try Again' }).click()
  await ann.page.getByRole('button', { name: 'Log out' }).waitFor()
  await ann.page.goto('/chat')
  for (const page of [ann.page, hanging]) await page.getByRole('link', { name: 'ben' }).waitFor()
  expect(await readNames()).toContain(`petrel-${userId}-device`)
  await openChat(ann.page, 'ben')
  expect(await composer(ann.page).inputValue()).toBe('')
})

declare const openTransactions: Set<IDBTransaction>

/** Runs in a page before its own scripts: counts `openTransactions` there. */
function countTransactions() {
  const open = new Set<IDBTransaction>()
  Object.assign(globalThis, { openTransactions: open })
  const begin = IDBDatabase.prototype.transaction
  IDBDatabase.prototype.transaction = function (...args) {
    const transaction = begin.apply(this, args)
    open.add(transaction)
    for (const end of ['complete', 'abort'])
      transaction.addEventListener(end, () => open.delete(transaction))
    return transaction
  }
}

async function signInUnloaded() {
  const { page, username, password } = ann
  await page.getByRole('button', { name: 'Log in with phone number' }).click()
  await page.getByLabel('Phone number or Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('what was to be erased when the browser died is erased at the next start', async () => {
  const { userId } = await readSession(ann)
  // As if it had died between the note and the erasure.
  await ann.page.evaluate((id) => {
    localStorage.setItem(`petrel-erase-${id}`, 'owed')
    localStorage.removeItem('token')
    localStorage.removeItem('user')
  }, userId)
  await ann.page.goto('/login')
  await expect
    .poll(async () => (await readNames()).filter((name) => name?.includes(userId)))
    .toEqual([])
  await signIn(ann)
  await ann.page.getByRole('link', { name: 'ben' }).waitFor()
})

test('a tab that is signed in for itself stays that person, and so do its words', async () => {
  const cem = await createPerson(server, 'cem', { keepsApp: true })
  try {
    await registerPerson(cem)
    const own = await readSession(cem)
    await cem.page.evaluate(() => {
      for (const key of ['token', 'user']) {
        sessionStorage.setItem(key, localStorage.getItem(key) ?? '')
        localStorage.removeItem(key)
      }
    })
    await cem.page.reload()
    await openChat(cem.page, 'ben')
    const other = await cem.openTab('/login')
    await signIn({ ...ben, page: other })
    await say(cem.page, 'from cem')
    await openChat(ben.page, 'cem')
    await ben.page.getByRole('article', { name: ': from cem' }).waitFor()
    await cem.page.reload()
    await openChat(cem.page, 'ben')
    const shown = await cem.page.evaluate(
      () => JSON.parse(sessionStorage.getItem('user') ?? '{}')._id,
    )
    expect(shown).toBe(own.userId)
  } finally {
    await cem.close()
  }
})

test('where site data is blocked, or its database cannot be opened, words stand in place of a blank page', async () => {
  const dora = await createPerson(server, 'dora', { keepsApp: true })
  try {
    await registerPerson(dora)
    const noDatabase = await dora.profile.context.newPage()
    await noDatabase.addInitScript(() => {
      indexedDB.open = () => {
        throw new DOMException('The user denied permission.', 'SecurityError')
      }
    })
    await noDatabase.goto('/chat')
    await noDatabase.getByText("Petrel couldn't use this browser's storage.").waitFor()
    const nothing = await dora.profile.context.newPage()
    await nothing.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('Access is denied for this document.', 'SecurityError')
          },
        })
      }
    })
    await nothing.goto('/chat')
    await nothing.getByRole('heading', { name: 'Site data is blocked' }).waitFor()
  } finally {
    await dora.close()
  }
})
