import { expect, onTestFinished, test } from 'vitest'
import { registerPerson } from './account-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

const claim = 'Your personal messages are end-to-end encrypted'

/** A person at a server of this kind, not signed in yet. */
async function start(encryption: 'on' | 'off') {
  const server = await startBuiltServer({ env: { END_TO_END: encryption } })
  const ann = await createPerson(server, 'ann', { hasFirstLoad: true })
  onTestFinished(async () => {
    await ann.close()
    await server.close()
  })
  return { server, ann, page: ann.page }
}

/** What the first visit's screen says, which is there for some seconds. */
const firstWords =
  /** Runs in the page, from its start. */
  () => {
    const look = () => {
      const screen = document.querySelector('[role="progressbar"]')?.parentElement
      if (screen) Reflect.set(window, 'firstWords', screen.textContent)
    }
    new MutationObserver(look).observe(document, { childList: true, subtree: true })
  }

test('with END_TO_END=on each screen says that messages are encrypted, also without the server', async () => {
  const { ann, page } = await start('on')
  await page.addInitScript(firstWords)
  for (const path of ['/login', '/register', '/reset#token']) {
    await page.goto(path)
    await page.getByText(claim).waitFor()
  }
  await registerPerson(ann)
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
  expect(await page.evaluate(() => Reflect.get(window, 'firstWords'))).toContain(
    'End-to-end encrypted',
  )
  await page.getByRole('region', { name: 'No chat open' }).getByText(claim).waitFor()
  // What was last known is said while the server cannot be asked.
  await page.context().route('**/api/server', (route) => route.abort())
  const later = await page.context().newPage()
  await later.goto('/reset#token')
  await later.getByText(claim).waitFor()
})

test('with END_TO_END=off no screen says it, and one that did stops', async () => {
  const { server, ann, page } = await start('off')
  await page.addInitScript(firstWords)
  for (const path of ['/login', '/register', '/reset#token']) {
    const told = page.waitForResponse('**/api/server')
    await page.goto(path)
    await told
    await page.getByRole('contentinfo').waitFor()
    expect(await page.getByText(/encrypted/i).count()).toBe(0)
  }
  await registerPerson(ann)
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
  const first = await page.evaluate(() => Reflect.get(window, 'firstWords'))
  expect(first).toContain('Loading your chats')
  expect(first).not.toMatch(/encrypted/i)
  await page.getByRole('region', { name: 'No chat open' }).waitFor()
  expect(await page.getByText(/encrypted/i).count()).toBe(0)
  await page.goto('/settings/security')
  await page.getByText(/^Not end-to-end encrypted. Whoever runs this server can read/).waitFor()
  await page.goto('/chat')

  await server.kill()
  await server.start({ END_TO_END: 'on' })
  await page.reload()
  const pane = page.getByRole('region', { name: 'No chat open' })
  await pane.getByText(claim).waitFor()
  await server.kill()
  await server.start()
  await page.reload()
  await pane.getByText(claim).waitFor({ state: 'detached' })
})
