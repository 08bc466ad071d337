import { expect, onTestFinished, test } from 'vitest'
import type { SignedIn } from '../../../schema/api/auth.ts'
import { startTestApp } from '../../../sync-server/testing/start-test-app.ts'
import { createAuthCalls } from '../../api/auth-calls.ts'
import { createCaller } from '../../api/caller.ts'
import { createSessionStore } from '../../api/session-store.ts'
import { claimKey, createEncryptionClaim } from './encryption-claim.ts'

/** A `localStorage` for one browser. */
function createTexts() {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  }
}

/** A page of this browser, with a server that says `on` or `off`. */
async function openPage(encryption: 'on' | 'off', texts = createTexts()) {
  const app = await startTestApp({ END_TO_END: encryption })
  onTestFinished(() => app.close())
  const call = createCaller({ serverUrl: app.url, fetch, onUnauthorized: () => {} })
  const auth = createAuthCalls({ call, callSignedIn: call })
  const sessions = createSessionStore({ kept: texts, passing: createTexts() })
  const claim = createEncryptionClaim({ texts, sessions, describe: auth.describeServer })
  onTestFinished(() => claim.close())
  return { app, texts, sessions, claim }
}

test('nothing is claimed until the server has said that it takes sealed messages', async () => {
  const { claim, texts } = await openPage('on')
  expect(claim.isMade.getSnapshot()).toBe(false)
  await claim.describeServer()
  expect(claim.isMade.getSnapshot()).toBe(true)
  const later = await openPage('off', texts)
  expect(later.claim.isMade.getSnapshot()).toBe(true)
  await later.claim.describeServer()
  expect(later.claim.isMade.getSnapshot()).toBe(false)
  expect(texts.getItem(claimKey)).toBe('off')
})

test('what the own record says counts from the sign-in on, and stays known after it', async () => {
  const { app, claim, sessions, texts } = await openPage('on')
  const { token } = await app.register('Ann')
  const user = (await app.call('GET', '/api/users/me', { token })).body as SignedIn['user']
  sessions.set({ token, user }, { keepSignedIn: true })
  expect(claim.isMade.getSnapshot()).toBe(true)
  sessions.clear()
  expect((await openPage('on', texts)).claim.isMade.getSnapshot()).toBe(true)
  const { encryption: _, ...earlier } = user
  sessions.set({ token, user: earlier }, { keepSignedIn: true })
  expect(claim.isMade.getSnapshot()).toBe(false)
})
