import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Accepted } from '../messages/proposals/proposal.ts'
import { type Levels, readLevels } from './read-levels.ts'

const nanosecondsPerSecond = 1e9

/** From a read in memory to a poll that waits for 25 s. */
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const documentsBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]

export type Metrics = ReturnType<typeof createMetrics>

/** This server's own metrics, for Prometheus. Labels are our names, never user input. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'petrel_http_request_seconds',
    help: 'Time to answer requests, by route; routes that wait for news carry “(waits)”.',
    labelNames: ['method', 'route', 'status'],
    buckets: secondsBuckets,
    registers,
  })
  const refusals = new Counter({
    name: 'petrel_refusals_total',
    help: 'What was refused, by the door it came to and the reason.',
    labelNames: ['door', 'reason'],
    registers,
  })
  const batches = new Histogram({
    name: 'petrel_accepted_batch_documents',
    help: 'How many documents came together, by collection.',
    labelNames: ['collection'],
    buckets: documentsBuckets,
    registers,
  })
  const stopProcess = measureProcess(registry)

  return {
    recordRequest(seen: { method: string; route: string; status: number; seconds: number }) {
      const { seconds, ...labels } = seen
      requests.observe(labels, seconds)
    },
    recordRefusal: (door: string, reason: string) => refusals.inc({ door, reason }),
    recordBatch: (collection: string, documents: number) =>
      batches.observe({ collection }, documents),
    /** Reads these at each scrape. */
    watch: (levels: Levels) => readLevels(registry, levels),
    contentType: registry.contentType,
    describe: () => registry.metrics(),
    /** The same figures by their lines in that text: `name`, or `name{label="value"}`. */
    async read(): Promise<ReadonlyMap<string, number>> {
      const lines = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'))
      return new Map(
        lines.map((line) => {
          const end = line.lastIndexOf(' ')
          return [line.slice(0, end), Number(line.slice(end + 1))]
        }),
      )
    },
    close(): void {
      stopProcess()
    },
  }
}

/**
 * Memory, CPU time and event-loop lag. prom-client's own set cannot be stopped, and tests start
 * many servers in one process.
 * @returns a function that stops measuring
 */
function measureProcess(registry: Registry): () => void {
  readLevels(registry, {
    gauges: {
      process_resident_memory_bytes: {
        help: 'Memory of the process.',
        read: () => process.memoryUsage.rss(),
      },
      nodejs_heap_size_used_bytes: {
        help: 'Memory that JavaScript objects take.',
        read: () => process.memoryUsage().heapUsed,
      },
      nodejs_external_memory_bytes: {
        help: 'Memory of buffers, outside of the heap.',
        read: () => process.memoryUsage().external,
      },
    },
    counters: {
      process_cpu_seconds_total: {
        help: 'Processor time, of the user and the system.',
        read: () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
      },
    },
  })
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  new Gauge({
    name: 'petrel_event_loop_delay_p99_seconds',
    help: 'How late timers run, 99th percentile since the last scrape.',
    registers: [registry],
    collect() {
      this.set(delay.percentile(99) / nanosecondsPerSecond)
      delay.reset()
    },
  })
  return () => void delay.disable()
}

/** Counts what went through the one way in (P4): batch sizes, and refusals by reason. */
export function recordAccepted(
  metrics: Metrics,
  collection: 'messages' | 'conversations',
  { proposals, outcomes }: Pick<Accepted<unknown>, 'proposals' | 'outcomes'>,
): void {
  if (proposals.length > 0) metrics.recordBatch(collection, proposals.length)
  for (const outcome of outcomes) {
    if (outcome.kind !== 'stored' || !outcome.refusal) continue
    metrics.recordRefusal(collection, outcome.refusal.code)
  }
}
