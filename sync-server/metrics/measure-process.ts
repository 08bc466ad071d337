import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'
import { readLevels } from './read-levels.ts'

const nanosecondsPerSecond = 1e9

/**
 * Memory, CPU time and event-loop lag. prom-client's own set cannot be stopped, and tests start
 * many servers in one process.
 * @returns a function that stops measuring
 */
export function measureProcess(registry: Registry): () => void {
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
