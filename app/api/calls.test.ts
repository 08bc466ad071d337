import { expect, test } from 'vitest'
import { wireHeader, wireVersion } from '../../schema/api/wire.ts'
import { createApi } from './api.ts'
import { createLazyApi } from './lazy-api.ts'
import { callCatalogue, picture } from './testing/call-catalogue.ts'
import { ben } from './testing/group-call-catalogue.ts'
import { openTestAnswers, testSession } from './testing/open-test-answers.ts'

test('the catalogue names every call of the library', async () => {
  const { api } = await openTestAnswers({ status: 500 })
  const names = Object.entries(api).flatMap(([group, calls]) =>
    Object.keys(calls).map((name) => `${group}.${name}`),
  )
  expect([...new Set(callCatalogue.map(([name]) => name))].sort()).toEqual(names.sort())
})

test.each(callCatalogue)(
  '%s: its address, and its words where the server has none',
  async (...row) => {
    const [, call, line, fallback] = row
    const { api, asked } = await openTestAnswers({ status: 500 })
    await expect(call(api)).rejects.toMatchObject({
      message: fallback,
      status: 500,
      code: 'unknown',
    })
    expect(asked[0]?.line).toBe(line)
  },
)

test.each(callCatalogue)("%s: the server's own words before any other", async (...row) => {
  const { api } = await openTestAnswers({
    status: 409,
    body: '{"error":"Told so.","code":"told"}',
  })
  await expect(row[1](api)).rejects.toMatchObject({ message: 'Told so.', code: 'told' })
})

// The token of a sign-in that is not stored yet is told with the call.
const anonymous =
  /^(auth.(askDerivation|askResetDerivation|login|register|resetPassword|forgotPassword|describeServer|endSignIn|setKeys|readSeeds)|linking.(begin|wait|cancel|complete))$/

test.each(callCatalogue.filter(([name]) => !anonymous.test(name)))(
  '%s: carries the token and the version; a 401 forgets the sign-in; without one nothing is asked',
  async (...row) => {
    const body = '{"code":"session_ended","error":"Sign in again."}'
    const { api, asked, sessions } = await openTestAnswers({ status: 401, body })
    await expect(row[1](api)).rejects.toMatchObject({ status: 401 })
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${testSession.token}`,
    ])
    expect(asked[0]?.headers[wireHeader]).toBe(String(wireVersion))
    expect(sessions.get()).toBeUndefined()
    await expect(row[1](api)).rejects.toMatchObject({ message: 'Authentication required' })
    expect(asked).toHaveLength(1)
  },
)

test.each(callCatalogue)(
  '%s: the code that is fetched later makes the same call',
  async (...row) => {
    const { options, asked } = await openTestAnswers({ status: 500 })
    await expect(row[1](createLazyApi(options))).rejects.toMatchObject({ message: row[3] })
    expect(asked[0]?.line).toBe(row[2])
  },
)

test('what the server knows nothing of is no failure where one can go on without it', async () => {
  const { api } = await openTestAnswers({ status: 404 })
  expect(await api.users.search('nobody')).toEqual([])
  expect(await api.users.searchByPhone('123')).toEqual([])
  expect(await api.messages.search({ query: 'nothing' })).toEqual([])
  expect(await api.users.getActivity(ben)).toEqual({ isOnline: false, lastSeen: null })
  expect(await api.users.findByPhone('1234567890')).toBeUndefined()
  await expect(api.users.get(ben)).rejects.toThrow('User not found')
})

test('fetching everybody has words of its own for 401 and 403', async () => {
  const [ended, forbidden] = [
    await openTestAnswers({ status: 401 }),
    await openTestAnswers({ status: 403 }),
  ]
  await expect(ended.api.users.list()).rejects.toThrow('Unauthorized - Please login again')
  await expect(forbidden.api.users.list()).rejects.toThrow('Access forbidden')
})

test('a lookup with retry tries three times, 2 s and 4 s apart', async () => {
  const { api, asked, waited } = await openTestAnswers({ status: 503 })
  await expect(api.users.getWithRetry(ben)).rejects.toMatchObject({ status: 503 })
  expect(asked).toHaveLength(3)
  expect(waited).toEqual([2_000, 4_000])
})

test('P2: a repeated call says by its key that it is the same', async () => {
  const { api, asked } = await openTestAnswers({ status: 500 })
  const key = '01900000-0000-4000-8000-000000000001'
  await expect(api.users.report({ userId: ben, reason: 'a reason' }, { key })).rejects.toThrow()
  expect(asked[0]?.headers['idempotency-key']).toBe(key)
})

test('a file goes as a form, under the name that the server looks for', async () => {
  const { api, asked } = await openTestAnswers({ status: 500 })
  await expect(api.messages.upload({ file: picture, filename: 'a.png' })).rejects.toThrow()
  await expect(api.own.updatePicture(picture)).rejects.toThrow()
  expect(asked[0]?.headers['content-type']).toContain('multipart/form-data')
  expect(asked[0]?.body).toContain('name="file"; filename="a.png"')
  expect(asked[1]?.body).toContain('name="profilePicture"')
})

test('a call that is not answered in time says so', async () => {
  const { options, sessions } = await openTestAnswers({ status: 200, waits: true })
  const api = createApi({ ...options, sessions, timeoutMs: 5 })
  await expect(api.own.me()).rejects.toMatchObject({ status: 408, message: 'Request timeout' })
})

test('P5: an answer that was overtaken by a save does not undo it', async () => {
  const old = { ...testSession.user, status: 'before' }
  const { options, sessions, asked } = await openTestAnswers({
    status: 200,
    body: JSON.stringify(old),
  })
  const { own } = createApi({
    ...options,
    async fetch(input, init) {
      const answer = await fetch(input, init)
      if (asked.length === 1) sessions.setUser({ ...testSession.user, status: 'saved' })
      else expect(sessions.get()?.user.status).toBe('saved')
      return answer
    },
  })
  await own.me()
  expect(asked).toHaveLength(2)
})

const doing = ['own.deleteAccount', 'own.changePassword', 'own.endSession', 'own.endOtherSessions']

test.each(
  callCatalogue.filter(([name]) => [...doing, 'users.report', 'auth.logout'].includes(name)),
)('P6: %s: a 200 of somebody in between has done nothing', async (...row) => {
  for (const body of ['<html>Sign in to the Wi-Fi</html>', '{}', '{"ok":true}', 'null']) {
    const { api, sessions } = await openTestAnswers({ status: 200, body })
    await expect(row[1](api)).rejects.toMatchObject({ code: 'unreadable', message: row[3] })
    expect(sessions.get()).toEqual(testSession)
  }
})
