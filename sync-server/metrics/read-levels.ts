import { Counter, Gauge, type Registry } from 'prom-client'

/** What stands somewhere now, by its name and how to read it. */
export interface Levels {
  gauges: Record<string, { help: string; read: () => number }>
  /** Sums that somebody else keeps. */
  counters: Record<string, { help: string; read: () => number }>
}

/** Shows levels that are read at each scrape only: between two of them they cost nothing. */
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
