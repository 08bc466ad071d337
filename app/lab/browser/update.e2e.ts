import { afterAll, expect, test } from 'vitest'
import { registerPerson, waitUntilKept } from './account-steps.ts'
import { copyBuild } from './copy-build.ts'
import { createPerson } from './create-person.ts'
import { startBuiltServer } from './start-built-server.ts'

const build = await copyBuild()
const server = await startBuiltServer({ dist: build.dist })
const ann = await createPerson(server, 'ann')

afterAll(async () => {
  await ann.close()
  await server.close()
  await build.remove()
})

test('P1: an update is offered, waits while somebody types, and starts at their click', async () => {
  await registerPerson(ann)
  await waitUntilKept(ann)
  await ann.page.reload()
  const search = ann.page.getByRole('searchbox')
  await search.fill('half a wor')

  await build.deploy('second')
  await ann.page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update()
  })
  await ann.page.getByText('A new version of Petrel is ready.').waitFor()
  expect(await search.inputValue()).toBe('half a wor')
  expect(await ann.page.locator('body[data-version]').count()).toBe(0)

  await ann.page.getByRole('button', { name: 'Update now' }).click()
  await ann.page.locator('body[data-version="second"]').waitFor({ state: 'attached' })
  await ann.page.getByRole('searchbox').waitFor()
})

test('a tab whose version another tab has replaced is asked too, and not reloaded', async () => {
  const other = await ann.openTab('/chat')
  await build.deploy('third')
  await other.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update()
  })
  await ann.page.getByRole('button', { name: 'Update now' }).click()
  await ann.page.locator('body[data-version="third"]').waitFor({ state: 'attached' })
  await other.getByRole('button', { name: 'Update now' }).waitFor()
  expect(await other.locator('body').getAttribute('data-version')).toBe('second')
  await other.getByRole('button', { name: 'Update now' }).click()
  await other.locator('body[data-version="third"]').waitFor({ state: 'attached' })
})
