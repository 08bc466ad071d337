import type { SignedIn } from '../../../schema/api/auth.ts'
import type { ScannedDevice } from '../../../schema/api/device-link.ts'
import type { LinkingCalls } from '../../api/linking-calls.ts'
import { type DeviceStore, openDeviceStore } from '../../database/storage/open-device-store.ts'
import { type KeyPair, publishKeys } from '../../encryption/account-keys.ts'
import {
  createHandoverPair,
  handKeys,
  nameDeviceLink,
  takeHandedKeys,
} from '../../encryption/handed-keys.ts'

/**
 * The calls that link a device, with the account's keys handed over on the way: sealed on the device
 * that confirms, to a key that the scanned code stands for, so that no server can put its own there.
 * @param options.readUserId who is signed in here
 */
export function createKeyHandover(options: {
  calls: LinkingCalls
  readUserId: () => string | undefined
  openStore?: (userId: string) => Promise<DeviceStore>
}): LinkingCalls {
  const { calls, readUserId } = options
  const openStore =
    options.openStore ?? ((userId: string) => openDeviceStore({ name: `petrel-${userId}` }))
  /** Of the codes that this page has shown. */
  const pairs = new Map<string, { id: string; pair: KeyPair & { agreement: string } }>()
  /** What this page's scans have shown. */
  const scanned = new Map<string, ScannedDevice>()

  async function withStore<T>(userId: string, work: (store: DeviceStore) => Promise<T>) {
    const store = await openStore(userId)
    try {
      return await work(store)
    } finally {
      store.close()
    }
  }

  /** All own keys, newest first, sealed for that device; undefined where there is nothing to hand. */
  async function seal(id: string) {
    const { publicKey, agreement } = scanned.get(id) ?? {}
    const userId = readUserId()
    if (!publicKey || !agreement || !userId) return undefined
    const rows = await withStore(userId, (store) => store.keyring.toArray())
    const own = rows.map(({ keys }) => keys).sort((a, b) => b.number - a.number)
    return own.length > 0 ? handKeys(own, { id, userId, agreement }) : undefined
  }

  /** Keeps what was handed over, where it is what the account has published. */
  async function keep(id: string, { user, handedKeys }: SignedIn) {
    const known = [...pairs.values()].find((one) => one.id === id)
    if (!handedKeys || !known || !user.keys) return
    // A device that is signed in asks for its own person's keys, and keeps no others.
    if ((readUserId() ?? user._id) !== user._id) return
    const all = takeHandedKeys(handedKeys, { id, userId: user._id, pair: known.pair })
    const isOwn = all?.some(
      (keys) => publishKeys(keys, user._id).signature === user.keys?.signature,
    )
    if (!all || !isOwn) return
    await withStore(user._id, async (store) => {
      await store.keyring.bulkPut(all.map((keys) => ({ _id: keys.number, keys })))
    })
  }

  return {
    wait: (...asked) => calls.wait(...asked),
    cancel: (...asked) => calls.cancel(...asked),
    watch: (...asked) => calls.watch(...asked),
    async begin(publicKey, given) {
      // Asked once more after an answer that got lost, it is the same code.
      const pair = pairs.get(publicKey)?.pair ?? createHandoverPair()
      const { agreement } = pair
      const id = nameDeviceLink({ publicKey, agreement })
      const begun = await calls.begin(publicKey, { ...given, agreement })
      // An earlier server knows nothing of the second key: the device begins locked then.
      if (begun.id === nameDeviceLink({ publicKey })) return begun
      if (begun.id !== id) throw new Error('The server made a code for another device.')
      pairs.set(publicKey, { id, pair })
      return begun
    },
    async complete(given, more) {
      const { handedKeys, ...session } = await calls.complete(given, more)
      // Without them the device is locked, and says what opens it.
      if (handedKeys) await keep(given.id, { ...session, handedKeys }).catch(() => {})
      pairs.clear()
      return session
    },
    async scan(id, more) {
      const device = await calls.scan(id, more)
      const { publicKey, agreement } = device
      if (publicKey && nameDeviceLink({ publicKey, agreement }) !== id) {
        throw new Error('This code belongs to another device. Please show a new one.')
      }
      scanned.set(id, device)
      return device
    },
    async decide(given) {
      const handedKeys = given.isAllowed ? await seal(given.id) : undefined
      return await calls.decide({ ...given, ...(handedKeys && { handedKeys }) })
    },
  }
}
