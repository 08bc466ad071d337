declare module 'abstract-leveldown' {
  type Done<Found extends unknown[] = []> = (error?: Error | null, ...found: Found) => void
  type Written = { type: 'put'; key: string; value: string | Buffer } | { type: 'del'; key: string }

  interface RangeOptions {
    gt?: string
    gte?: string
    lt?: string
    lte?: string
    reverse: boolean
    limit: number
    keys: boolean
    values: boolean
    keyAsBuffer: boolean
    valueAsBuffer: boolean
  }

  interface LevelIterator {
    _next(done: Done<[key?: string | Buffer, value?: string | Buffer]>): void
    _end(done: Done): void
  }

  interface Leveldown {
    _get(key: string, options: { asBuffer: boolean }, done: Done<[value?: string | Buffer]>): void
    _put(key: string, value: string | Buffer, options: object, done: Done): void
    _del(key: string, options: object, done: Done): void
    _batch(operations: readonly Written[], options: object, done: Done): void
    _iterator(range: RangeOptions): LevelIterator
  }

  const AbstractLevelDOWN: new () => Leveldown
  const AbstractIterator: new (down: Leveldown) => LevelIterator

  export { AbstractIterator, AbstractLevelDOWN, type Leveldown, type RangeOptions }
}
