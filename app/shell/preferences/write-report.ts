import { wireVersion } from '../../../schema/api/wire.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { formatBytes } from '../../ui/format/format-amounts.ts'
import { productName, productVersion } from '../../ui/product.ts'

/**
 * How the app is doing on this device, a line each. Nothing of anybody's words, names or ids: only
 * versions, states and numbers.
 */
export async function writeReport(
  messenger: Pick<Messenger, 'connection' | 'outbox' | 'conversations' | 'countUnsent'>,
  browser: Pick<Navigator, 'userAgent' | 'language' | 'onLine' | 'storage'> = navigator,
): Promise<string> {
  const { state, pendingCount, comingCount = 0, lastSyncedAt } = messenger.connection.getSnapshot()
  const { waiting, failed } = messenger.outbox.getSnapshot()
  const { storage } = browser
  const [room, isPersisted, unsent] = await Promise.all([
    storage?.estimate?.().catch(() => undefined),
    storage?.persisted?.().catch(() => false),
    messenger.countUnsent(),
  ])
  const facts: [string, string | number][] = [
    [productName, `${productVersion}, protocol ${wireVersion}`],
    ['Written', new Date().toISOString()],
    ['Browser', browser.userAgent],
    ['Language', browser.language],
    ['Connection', `${state}, browser says ${browser.onLine ? 'online' : 'offline'}`],
    ['Last synced', lastSyncedAt === undefined ? 'never' : new Date(lastSyncedAt).toISOString()],
    ['Chats', messenger.conversations.getSnapshot().length],
    ['Messages to send', pendingCount],
    ['Messages to receive', comingCount],
    ['Outbox', `${waiting} waiting, ${failed} not sent`],
    ['Changes not on the server', unsent],
    ['Storage', `${formatBytes(room?.usage)} of ${formatBytes(room?.quota)}`],
    ['Protected storage', isPersisted ? 'yes' : 'no'],
  ]
  return facts.map(([name, value]) => `${name}: ${value}`).join('\n')
}
