import { Counter, Gauge, type Registry } from 'prom-client'

/** Current levels, by name, with how to read each. */
export interface Levels {
  gauges: Record<string, { help: string; read: () => number }>
  /** Sums that another component keeps. */
  counters: Record<string, { help: string; read: () => number }>
}

/** Exposes levels that are read only at a scrape: they cost nothing in between. */
export function readLevels(registry: Registry, { gauges, counters }: Levels): void {
  const registers = [registry]
  for (const [name, { help, read }] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  }
  for (const [name, { help, read }] of Object.entries(counters)) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  }
}
