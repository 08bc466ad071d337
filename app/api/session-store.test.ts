import { expect, test } from 'vitest'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import { createKeyValueStorage } from '../database/storage/key-value-storage.ts'
import { createSessionStore } from './session-store.ts'
import { sessionsOf } from './sessions-of.ts'
import { testSession as session } from './testing/open-test-answers.ts'

function start() {
  const [kept, passing] = [createKeyValueStorage(), createKeyValueStorage()]
  return { kept, passing, open: () => createSessionStore({ kept, passing }) }
}

test('a sign-in that is kept survives, under the keys that the specification names', () => {
  const { kept, open } = start()
  open().set(session, { keepSignedIn: true })
  expect(kept.getItem('token')).toBe('a.b.c')
  expect(JSON.parse(kept.getItem('user') ?? '')).toMatchObject({ username: 'Ann' })
  expect(open().get()).toEqual(session)
})

test('a sign-in that is not kept leaves nothing in what survives the browser', () => {
  const { kept, passing, open } = start()
  const store = open()
  store.set(session, { keepSignedIn: true })
  store.set(session, { keepSignedIn: false })
  expect(kept.length).toBe(0)
  expect(passing.getItem('token')).toBe('a.b.c')
  store.clear()
  expect(passing.length).toBe(0)
})

test('half a sign-in, or one that cannot be read, is none', () => {
  const { kept, open } = start()
  kept.setItem('token', 'a.b.c')
  expect(open().get()).toBeUndefined()
  kept.setItem('user', '{"_id":1}')
  expect(open().get()).toBeUndefined()
  kept.setItem('user', 'not JSON')
  expect(open().get()).toBeUndefined()
})

test('a sign-in that another version of the app has kept goes on, with fields too few, too many or of another form', () => {
  const { kept, open } = start()
  const stored = { ...session.user, username: 7, settings: 'none', pronouns: 'she' }
  kept.setItem('token', 'a.b.c')
  kept.setItem('user', JSON.stringify(stored))
  expect(open().get()).toEqual({
    token: 'a.b.c',
    user: { ...session.user, username: '', settings: {} },
  })
  kept.setItem('user', JSON.stringify({ _id: session.user._id }))
  expect(open().get()?.user._id).toBe(session.user._id)
})

test('listeners hear of changes, also of those by another tab, and of nothing else', () => {
  const { kept, passing, open } = start()
  let tell = () => {}
  const store = createSessionStore({
    kept,
    passing,
    watch(changed) {
      tell = changed
      return () => {}
    },
  })
  const seen: (string | undefined)[] = []
  store.subscribe(() => seen.push(store.get()?.user.username))
  open().set(session, { keepSignedIn: true })
  tell()
  tell()
  store.setUser({ ...session.user, username: 'Anna' })
  open().clear()
  tell()
  expect(seen).toEqual(['Ann', 'Anna', undefined])
})

test('a tab that is signed in for itself stays that person when another tab signs in somebody else', () => {
  const shared = createKeyValueStorage()
  const heard: (() => void)[] = []
  const openTab = () =>
    createSessionStore({
      kept: shared,
      passing: createKeyValueStorage(),
      watch: (changed) => {
        heard.push(changed)
        return () => {}
      },
    })
  const ben = {
    token: 'd.e.f',
    user: { ...session.user, _id: `${session.user._id.slice(0, -1)}b` },
  }
  const [first, second] = [openTab(), openTab()]
  first.set(session, { keepSignedIn: false })
  second.set(ben, { keepSignedIn: true })
  for (const tell of heard) tell()
  expect(first.get()).toEqual(session)
  expect(second.get()).toEqual(ben)
  first.setUser({ ...session.user, status: 'here' })
  expect(second.get()).toEqual(ben)
  // Nor does the one end the other's.
  first.clear()
  for (const tell of heard) tell()
  expect(second.get()).toEqual(ben)
  first.set(session, { keepSignedIn: false })
  second.clear()
  for (const tell of heard) tell()
  expect(first.get()).toEqual(session)
})

test("a person's sign-ins belong to them alone, and a late end of one ends no other", () => {
  const { open } = start()
  const store = open()
  store.set(session, { keepSignedIn: true })
  const [own, others] = [sessionsOf(store, session.user._id), sessionsOf(store, 'somebody else')]
  expect(own.get()).toEqual(session)
  expect(others.get()).toBeUndefined()
  others.setUser({ ...session.user, username: 'Somebody' })
  others.clear()
  expect(store.get()).toEqual(session)
  own.clear()
  expect(store.get()).toBeUndefined()
})

test('the end of an earlier sign-in, heard late by a tab that was away, ends no new one', () => {
  const { kept, open } = start()
  const away = open()
  away.set(session, { keepSignedIn: true })
  const renewed = { ...session, token: 'd.e.f', user: { ...session.user, status: 'new' } }
  kept.setItem('token', renewed.token)
  kept.setItem('user', JSON.stringify(renewed.user))
  expect(away.get()).toEqual(session)
  away.setUser({ ...session.user, status: 'old' })
  expect(away.get()).toEqual(renewed)
  kept.setItem('token', 'g.h.i')
  away.clear()
  expect(away.get()?.token).toBe('g.h.i')
  away.clear()
  expect(open().get()).toBeUndefined()
})

test('a tab that hung hears of the new sign-in before it ends the refused one', async () => {
  const { kept, passing, open } = start()
  open().set(session, { keepSignedIn: true })
  // The browser gives each tab a copy of the storage, which follows by events.
  const copy = createKeyValueStorage()
  for (const key of ['token', 'user']) copy.setItem(key, kept.getItem(key) ?? '')
  const heard: (() => void)[] = []
  const waiting = createDeferred<void>()
  const hung = createSessionStore({
    kept: copy,
    passing,
    watch(changed) {
      heard.push(changed)
      return () => {}
    },
    untilHeard: () => waiting.promise,
  })
  const ending = hung.expire()
  expect(hung.get()).toEqual(session)
  copy.setItem('token', 'd.e.f')
  for (const tell of heard) tell()
  waiting.resolve()
  await ending
  expect(copy.getItem('token')).toBe('d.e.f')
  await hung.expire()
  expect(hung.get()).toBeUndefined()
  expect(copy.getItem('token')).toBeNull()
  expect(copy.getItem('user')).toBeNull()
})

test('every open tab knows that the server ended the sign-in, until the next one, and no later page does', async () => {
  const { kept, passing, open } = start()
  const heard: (() => void)[] = []
  const openTab = () =>
    createSessionStore({
      kept,
      passing: createKeyValueStorage(),
      watch: (changed) => {
        heard.push(changed)
        return () => {}
      },
    })
  const tellAll = () => heard.forEach((tell) => void tell())
  const [first, second] = [openTab(), openTab()]
  first.set(session, { keepSignedIn: true })
  tellAll()
  await first.expire()
  tellAll()
  for (const tab of [first, second]) expect(tab.endedUserId()).toBe(session.user._id)
  expect(open().endedUserId()).toBeUndefined()
  second.set(session, { keepSignedIn: true })
  tellAll()
  for (const tab of [first, second]) expect(tab.endedUserId()).toBeUndefined()
  expect([kept.getItem('ended-user'), passing.length]).toEqual([null, 0])
})

test('whoever logs out is not told that the server ended the sign-in, in no tab, however early the server was', async () => {
  const { kept, open } = start()
  let tell = () => {}
  const other = createSessionStore({
    kept,
    passing: createKeyValueStorage(),
    watch(changed) {
      tell = changed
      return () => {}
    },
  })
  const store = open()
  store.set(session, { keepSignedIn: true })
  tell()
  store.clear()
  tell()
  for (const tab of [store, other]) expect(tab.endedUserId()).toBeUndefined()
  store.set(session, { keepSignedIn: true })
  await store.expire()
  const seen: (string | undefined)[] = []
  store.subscribe(() => seen.push(store.endedUserId()))
  sessionsOf(store, 'somebody else').clear()
  sessionsOf(store, session.user._id).clear()
  expect(seen).toEqual([undefined])
})
