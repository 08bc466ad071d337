import { Counter, Histogram, Registry } from 'prom-client'
import { measureProcess } from './measure-process.ts'
import { type Levels, readLevels } from './read-levels.ts'

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
    close(): void {
      stopProcess()
    },
  }
}
