declare global {
  /** The page's permission requests since it was opened. */
  var askedOnStart: string[]
}

/** An init script: records requests for notifications or the location before any user input. */
export function recordRequestsOnStart() {
  const asked: string[] = []
  globalThis.askedOnStart = asked
  function note<Thing extends object>(thing: Thing, name: keyof Thing & string) {
    const original: unknown = thing[name]
    if (typeof original !== 'function') return
    const noted = new Proxy(original, {
      apply(target, self, given) {
        asked.push(name)
        return Reflect.apply(target as () => unknown, self, given)
      },
    })
    Object.defineProperty(thing, name, { value: noted })
  }
  if ('Notification' in globalThis) note(Notification, 'requestPermission')
  note(Geolocation.prototype, 'getCurrentPosition')
  note(Geolocation.prototype, 'watchPosition')
}
