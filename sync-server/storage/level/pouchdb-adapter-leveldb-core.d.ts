declare module 'pouchdb-adapter-leveldb-core' {
  function LevelPouch(this: object, options: object, done: () => void): void
  export = LevelPouch
}
