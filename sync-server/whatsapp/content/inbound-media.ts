import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Media } from '../../media/media.ts'
import { nameMediaUrl } from '../../media/media-documents.ts'
import type { StoredDatabase } from '../../storage/stored-database.ts'
import type { ChannelClock } from '../client/channel-clock.ts'
import { describeProviderFailure } from '../client/provider-errors.ts'
import type { OperatorCopies } from '../inbound/operator-copies.ts'
import type { createWhatsAppMedia, Download } from './channel-media.ts'

/** A customer's file to fetch; stored until fetched or given up. */
export interface MediaJob {
  /** The message with the file. */
  _id: string
  ownerId: string
  contactId: string
  messageId: string
  phoneNumberId: string
  mediaId: string
  mimeType: string
  sha256: string | null
  filename: string | null
  url: string | null
  tries: number
  /** Epoch ms. */
  dueAt: number
  _deleted?: true
}

export type InboundMedia = ReturnType<typeof createInboundMedia>

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** WhatsApp stores them for seven days. */
const retryWaitsMs = [
  minuteMs,
  10 * minuteMs,
  hourMs,
  6 * hourMs,
  24 * hourMs,
  24 * hourMs,
  24 * hourMs,
  24 * hourMs,
  24 * hourMs,
]
const fetchedAtOnce = 4
const fileMaxBytes = 100 * 1024 * 1024
const cannotFetch = 131052

/**
 * Fetches customers' files at once, because their addresses expire in minutes, and stores them on
 * this server. Retries failures for six days, across restarts.
 * @param onReady called with a message once its file is stored
 */
export function createInboundMedia(options: {
  database: StoredDatabase<MediaJob>
  media: Pick<Media, 'store' | 'shareMedia'>
  provider: Pick<ReturnType<typeof createWhatsAppMedia>, 'download'>
  copies: OperatorCopies
  clock: Pick<ChannelClock, 'now' | 'after'>
  onReady: (ownerId: string, message: MessageDocument) => void
  onError: (error: unknown) => void
}) {
  const { database, media, provider, copies, clock, onReady, onError } = options
  const limit = pLimit(fetchedAtOnce)
  const pending = new Map<string, () => void>()
  const running = new Set<Promise<void>>()
  const state = { isClosed: false }

  function schedule(job: MediaJob) {
    if (state.isClosed || pending.has(job._id)) return
    const callOff = clock.after(Math.max(0, job.dueAt - clock.now()), () => {
      pending.delete(job._id)
      if (state.isClosed) return
      const work = limit(() => runSafely(job)).finally(() => running.delete(work))
      running.add(work)
    })
    pending.set(job._id, callOff)
  }

  async function runSafely(job: MediaJob) {
    try {
      await run(job)
    } catch (error) {
      onError(error)
      await tryLater(job).catch(onError)
    }
  }

  async function run(job: MediaJob) {
    if (state.isClosed) return
    const message = await copies.read(job.ownerId, job.messageId)
    const isWanted = message?.deletedAt === undefined && message?.mediaUrl === undefined
    if (message && !isWanted) return await remove(job)
    const folder = await mkdtemp(join(tmpdir(), 'petrel-whatsapp-'))
    try {
      const path = join(folder, 'file')
      const { mediaId, phoneNumberId, mimeType } = job
      const outcome = await provider.download({
        mediaId,
        phoneNumberId,
        mimeType,
        path,
        url: job.tries === 0 ? (job.url ?? undefined) : undefined,
        sha256: job.sha256 ?? undefined,
      })
      if (outcome.kind !== 'ready') return await handleFailure(job, outcome)
      await keep(job, path, outcome)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async function keep(
    job: MediaJob,
    path: string,
    { bytes: size, mimeType }: Extract<Download, { kind: 'ready' }>,
  ) {
    const { ownerId, contactId, messageId, filename } = job
    const file = await media.store({
      ownerId: contactId,
      purpose: 'message',
      key: messageId,
      limitBytes: fileMaxBytes,
      filename: filename ?? undefined,
      bytes: createReadStream(path),
    })
    if (!file) return await giveUp(job)
    const mediaUrl = nameMediaUrl(file.mediaId)
    await media.shareMedia({ mediaUrl, messageId, senderId: contactId, recipientId: ownerId })
    const changed = await copies.change(ownerId, messageId, (stored) =>
      stored.deletedAt !== undefined || stored.mediaUrl !== undefined
        ? null
        : {
            ...stored,
            mediaUrl,
            media: { ...stored.media, state: 'ready', size, mimeType: file.mimeType || mimeType },
          },
    )
    if (!changed) throw new Error('the message of a file is not there yet')
    await remove(job)
    if (changed.isChanged) onReady(ownerId, changed.message)
  }

  async function handleFailure(job: MediaJob, outcome: Exclude<Download, { kind: 'ready' }>) {
    if (outcome.kind === 'later') await tryLater(job)
    else await giveUp(job)
  }

  async function tryLater(job: MediaJob) {
    const wait = retryWaitsMs[job.tries]
    if (wait === undefined) return await giveUp(job)
    const next = { ...job, tries: job.tries + 1, dueAt: clock.now() + wait }
    await database.update([job._id], () => ({ put: [next], result: undefined }))
    schedule(next)
  }

  async function giveUp(job: MediaJob) {
    const { code, words } = describeProviderFailure(cannotFetch)
    await copies.change(job.ownerId, job.messageId, (stored) =>
      stored.mediaUrl === undefined && stored.deletedAt === undefined
        ? { ...stored, media: { ...stored.media, state: 'failed' }, error: words, errorCode: code }
        : null,
    )
    await remove(job)
  }

  async function remove(job: MediaJob) {
    await database.update([job._id], (stored) => ({
      put: [...stored.values()].map((one) => ({ ...one, _deleted: true as const })),
      result: undefined,
    }))
  }

  return {
    /** Stores a job, before its message is stored. */
    async keep(file: Omit<MediaJob, '_id' | 'tries' | 'dueAt'>): Promise<void> {
      const job: MediaJob = { ...file, _id: file.messageId, tries: 0, dueAt: clock.now() }
      const { isInserted } = await database.insert(job)
      if (isInserted) schedule(job)
    },

    /** Resumes an earlier run's unfinished jobs. */
    async resume(): Promise<void> {
      for (const { _rev, ...job } of await database.range({})) schedule(job)
    },

    countPending: () => pending.size + running.size,

    drop() {
      state.isClosed = true
      for (const callOff of pending.values()) callOff()
    },

    async close() {
      this.drop()
      await Promise.all(running)
    },
  }
}
