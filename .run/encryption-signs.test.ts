import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { top } from './project.mjs'

/**
 * What reads plain words as if nothing were sealed: every screen, search, drafts, undo, the views and
 * commands, and the outbox. Messages are opened and closed beneath them (decision 71).
 */
const above = [
  ...['admin', 'auth', 'chats', 'conversation', 'emoji', 'media', 'messages', 'offline'],
  ...['people', 'profile', 'settings', 'shell', 'ui', 'whatsapp'],
  ...['commands', 'drafts', 'files', 'search', 'views'].map((name) => `database/${name}`),
  ...['inbox', 'outbox', 'realtime', 'requests'].map((name) => `sync/${name}`),
].map((folder) => `app/${folder}`)

/** Who of them touches a key or a sealed form, and for which sign. */
const signs = {
  'app/people/encryption-page.tsx': 'compares the 60 digits',
  'app/offline/read-app-fingerprint.ts': 'shows the fingerprint of the app',
  'app/offline/worker/worker-sealing.ts': 'opens what a push brings, and seals a reply to it',
  'app/offline/worker/describe-notification.ts': 'says that a message is locked',
  'app/sync/outbox/outbox-view.ts': 'compares what waits as it leaves',
}
/** Who of them asks whether a message is open. */
const locks = {
  'app/ui/text/describe-message.ts': 'the words of a locked message',
  'app/messages/message.tsx': 'draws them, with what helps',
  'app/conversation/message-list/build-message-rows.ts': 'makes no album of locked pictures',
  'app/conversation/message/list-message-actions.ts': 'offers no copy and no edit',
  'app/people/risky-actions.tsx': 'reports no message that nobody can read',
  'app/database/commands/change-message.ts': 'edits and forwards nothing that is locked',
}

const sources = above.flatMap((folder) =>
  readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test|e2e|contract)\.tsx?$/.test(name)),
)

/** The files among them that import something whose path fits. */
function findImporters(wanted: RegExp): string[] {
  return sources.filter((file) => {
    const text = readFileSync(join(top, file), 'utf8')
    const paths = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    return paths.some(([, path = '']) => wanted.test(join(dirname(file), path)))
  })
}

test('what stands above the database knows nothing of encryption but the signs that are named here', () => {
  expect(sources.length).toBeGreaterThan(300)
  expect(findImporters(/^app\/encryption\//).sort()).toEqual(Object.keys(signs).sort())
})

test('only what says that something is locked asks for it', () => {
  const asking = findImporters(/^schema\/encryption\/sealed-part\.ts$/)
  expect(asking.sort()).toEqual(Object.keys(locks).sort())
})

test('drafts, search and undo mention neither a key nor a sealed part', () => {
  const folders = /^app\/(database\/(drafts|search|views)|conversation\/composer)\//
  const mentions = sources
    .filter((file) => folders.test(file))
    .filter((file) => /\bsealed\b|keyring/i.test(readFileSync(join(top, file), 'utf8')))
  expect(mentions).toEqual([])
})
