import { createClearingMarks } from '../../database/files/clearing-marks.ts'
import {
  chooseFilesToTrim,
  decideFileBudget,
  estimateMessages,
  type FileKeeping,
} from '../../database/files/file-budget.ts'
import { createFileLedger, type LedgerEntry } from '../../database/files/file-ledger.ts'
import type { CommandContext } from '../../database/storage/collections.ts'
import type { Platform } from '../platform/platform.ts'
import type { FiledMessage } from './files-types.ts'

/** The space that one chat uses on this device. */
export interface ChatUsage {
  /** Empty for files whose messages are not on the device. */
  peerId: string
  /** All of its files, in bytes. */
  bytes: number
  /** How many files. */
  count: number
  /** The part that clearing keeps: unsent and starred files. */
  lastingCount: number
  messageCount: number
  /** An estimate. */
  messageBytes: number
}

export interface ClearingOptions {
  /** The chat; all of them when absent. */
  peerId?: string | undefined
  onProgress?(progress: { done: number; total: number }): void
}

export type FileCare = ReturnType<typeof createFileCare>

/** Files deleted per transaction, which blocks the messages meanwhile. */
const batchSize = 20
const stuckWords =
  "This device couldn't remove all of it. What is left is still listed. Close other tabs or restart the browser, then try again."

/** Keeps this device's files within a budget, and deletes those no longer needed. */
export function createFileCare(options: {
  context: CommandContext
  platform: Pick<Platform, 'estimate'>
  /** Does this tab's screen show it? */
  isShown: (file: Pick<LedgerEntry, 'messageId' | 'mediaUrl'>) => boolean
  readKeeping?: () => FileKeeping
}) {
  const { context, platform, isShown, readKeeping = () => 'auto' } = options
  const ledger = createFileLedger(context)
  const marks = createClearingMarks(context)

  async function removeAll(
    entries: readonly LedgerEntry[],
    { keepsStarred, onProgress }: { keepsStarred: boolean } & Pick<ClearingOptions, 'onProgress'>,
  ): Promise<number> {
    let bytes = 0
    for (let done = 0; done < entries.length; done += batchSize) {
      onProgress?.({ done, total: entries.length })
      bytes += await ledger.remove(entries.slice(done, done + batchSize), { keepsStarred })
    }
    return bytes
  }

  return {
    touch(message: FiledMessage, size: number): Promise<void> {
      return ledger.touch(message, size)
    },

    /** Deletes the files of cleared messages, from any device, and those over budget. */
    async tidy(): Promise<void> {
      const entries = await ledger.list()
      const [cleared, kept] = split(
        entries,
        ({ isCleared, isUnsent, isWantedElsewhere }) =>
          isCleared && !isUnsent && !isWantedElsewhere,
      )
      await removeAll(cleared, { keepsStarred: false })
      const keptBytes = kept.reduce((sum, { size }) => sum + size, 0)
      const room = await platform.estimate?.()
      const budget = decideFileBudget({ keptBytes, room, keeping: readKeeping() })
      const trimmable = kept.map((entry) => ({
        ...entry,
        isProtected: entry.isUnsent || entry.isStarred || isShown(entry),
      }))
      await removeAll(chooseFilesToTrim(trimmable, budget), { keepsStarred: true })
    },

    /** The largest first. */
    async listUsage(): Promise<ChatUsage[]> {
      const chats = new Map<string, ChatUsage>()
      const find = (peerId: string): ChatUsage => {
        const none = { bytes: 0, count: 0, lastingCount: 0, messageCount: 0, messageBytes: 0 }
        const chat = chats.get(peerId) ?? { peerId, ...none }
        chats.set(peerId, chat)
        return chat
      }
      for (const { peerId = '', size, isUnsent, isStarred } of await ledger.list()) {
        const chat = find(peerId)
        chat.bytes += size
        chat.count += 1
        if (isUnsent || isStarred) chat.lastingCount += 1
      }
      for (const { peerId, count, bytes } of await estimateMessages(context.database)) {
        Object.assign(find(peerId), { messageCount: count, messageBytes: bytes })
      }
      const all = ({ bytes, messageBytes }: ChatUsage) => bytes + messageBytes
      return [...chats.values()].sort((a, b) => all(b) - all(a))
    },

    /**
     * Later downloads of the removed files happen on request only.
     * @returns bytes.
     * @throws with words for a person when the disk fails; earlier removals persist
     */
    async clear({ peerId, onProgress }: ClearingOptions): Promise<number> {
      try {
        const entries = (await ledger.list()).filter(
          (entry) =>
            !(entry.isUnsent || entry.isStarred) &&
            (peerId === undefined || (entry.peerId ?? '') === peerId),
        )
        const isNoted = await marks.record(peerId).then(
          () => true,
          () => false,
        )
        const bytes = await removeAll(entries, {
          keepsStarred: true,
          ...(onProgress && { onProgress }),
        })
        // A full disk may have had no room for it before.
        if (!isNoted) await marks.record(peerId)
        return bytes
      } catch (cause) {
        throw new Error(stuckWords, { cause })
      }
    },
  }
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}
