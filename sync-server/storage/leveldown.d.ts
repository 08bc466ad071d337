declare module 'leveldown' {
  type Done = (error?: Error | null) => void

  function leveldown(location: string): leveldown.LevelDown

  namespace leveldown {
    interface LevelDown {
      _put(key: unknown, value: unknown, options: object, done: Done): void
      _del(key: unknown, options: object, done: Done): void
      _batch(operations: unknown[], options: object, done: Done): void
    }
    function destroy(location: string, done: Done): void
  }

  export = leveldown
}
