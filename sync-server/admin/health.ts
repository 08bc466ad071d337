import { X509Certificate } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { version } from '../../schema/api/version.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { AdminStore } from './admin-store.ts'

const sampleEveryMs = 15_000
const minute = { ms: 60_000, samples: 4 }
/** An hour. */
const samplesKept = 240
const certificateSoonDays = 21
const diskLowShare = 0.1

interface Sample {
  at: number
  messages: number
  online: number
  delayMs: number
  memoryMb: number
}

export type Health = ReturnType<typeof createHealth>

/**
 * How the server is, from the numbers of its metrics.
 * @param channelState words for the business channel
 */
export function createHealth(options: {
  metrics: Metrics
  store: AdminStore
  dataDir: string | undefined
  certificate: Buffer | undefined
  /** How often a backup is made by itself; undefined for never. */
  backupEveryMs: number | undefined
  channelState: () => string
  now?: () => number
}) {
  const { metrics, store, dataDir, certificate, backupEveryMs, channelState } = options
  const { now = Date.now } = options
  const startedAt = now()
  /** Each quarter of a minute; `messages`: the sum of all that were accepted. */
  const samples: Sample[] = [{ at: startedAt, messages: 0, online: 0, delayMs: 0, memoryMb: 0 }]
  const sampling = setInterval(() => void sample(), sampleEveryMs).unref()

  async function sample() {
    samples.push(await readSample())
    if (samples.length > samplesKept) samples.shift()
  }

  async function readSample(): Promise<Sample> {
    const { read, messages } = await readFigures()
    return {
      at: now(),
      messages,
      online: read('petrel_people_online'),
      delayMs: Math.round(read('petrel_event_loop_delay_p99_seconds') * 1000),
      memoryMb: Math.round(read('process_resident_memory_bytes') / 2 ** 20),
    }
  }

  /** The last hour, oldest first, with the messages of each quarter of a minute. */
  function describeHistory(latest: Sample) {
    const all = [...samples.slice(1), latest]
    const messages = all.map((one, at) => one.messages - (samples[at]?.messages ?? 0))
    return {
      at: all.map(({ at }) => new Date(at).toISOString()),
      messages,
      online: all.map(({ online }) => online),
      delayMs: all.map(({ delayMs }) => delayMs),
      memoryMb: all.map(({ memoryMb }) => memoryMb),
    }
  }

  async function readFigures() {
    const figures = await metrics.read()
    const read = (name: string) => figures.get(name) ?? 0
    return { read, messages: read('petrel_accepted_batch_documents_sum{collection="messages"}') }
  }

  async function readDisk() {
    if (dataDir === undefined) return undefined
    const { bavail, blocks, bsize } = await statfs(dataDir)
    return { leftMb: Math.round((bavail * bsize) / 2 ** 20), isLow: bavail < blocks * diskLowShare }
  }

  function readCertificate() {
    if (!certificate) return undefined
    const endsAt = Date.parse(new X509Certificate(new Uint8Array(certificate)).validTo)
    const endsInDays = Math.floor((endsAt - now()) / 86_400_000)
    return { endsAt: new Date(endsAt).toISOString(), endsInDays }
  }

  return {
    async read(): Promise<Record<string, unknown>> {
      const [{ read, messages }, latest] = await Promise.all([readFigures(), readSample()])
      const [disk, backup] = await Promise.all([
        readDisk().catch(() => undefined),
        store.readBackup(),
      ])
      const certificateEnd = readCertificate()
      const oldest = samples.slice(-minute.samples)[0] ?? { at: startedAt, messages: 0 }
      const elapsedMs = Math.max(now() - oldest.at, 1)
      const warnings = [
        ...(disk?.isLow ? [`The disk is almost full: ${disk.leftMb} MB are left.`] : []),
        ...(certificateEnd && certificateEnd.endsInDays < certificateSoonDays
          ? [`The certificate ends in ${certificateEnd.endsInDays} days.`]
          : []),
        ...(backup ? [] : ['There is no backup yet: petrel backup <folder> makes one.']),
        ...(backup && backupEveryMs !== undefined && now() - backup.at > 2 * backupEveryMs
          ? ['The last backup is older than BACKUP_EVERY twice: see the log.']
          : []),
      ]
      return {
        version,
        uptimeSeconds: Math.round((now() - startedAt) / 1000),
        peopleOnline: read('petrel_people_online'),
        devicesOnline: read('petrel_sockets') + read('petrel_pollers'),
        messagesPerMinute: Math.round(
          ((messages - oldest.messages) * minute.ms) / Math.max(elapsedMs, minute.ms),
        ),
        waitingWrites: read('petrel_write_queue'),
        diskWaits: read('petrel_synced_writes_total'),
        delayP99Ms: Math.round(read('petrel_event_loop_delay_p99_seconds') * 1000),
        memoryMb: Math.round(read('process_resident_memory_bytes') / 2 ** 20),
        diskLeftMb: disk?.leftMb ?? null,
        lastBackup: backup ? new Date(backup.at).toISOString() : null,
        certificateEnds: certificateEnd?.endsAt ?? null,
        whatsApp: channelState(),
        warnings,
        history: describeHistory(latest),
      }
    },
    close: () => clearInterval(sampling),
  }
}
