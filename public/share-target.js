/**
 * Part of the service worker: what another app shares is kept on the device, with or without a network or a sign-in,
 * until the app takes it (`app/offline/shared-items.ts`).
 */
self.addEventListener('fetch', (event) => {
  const { method, url } = event.request
  if (method !== 'POST' || new URL(url).pathname !== '/share') return
  event.respondWith(takeShared(event.request))
})

async function takeShared(request) {
  const kept = await readShared(request)
    .then(keepShared)
    .then(
      () => true,
      () => false,
    )
  return Response.redirect(kept ? '/share' : '/share?problem=not-kept', 303)
}

async function readShared(request) {
  const [form, ownerId] = await Promise.all([request.formData(), readSignedIn()])
  const words = (name) => form.getAll(name).find((value) => typeof value === 'string') ?? ''
  const files = form
    .getAll('files')
    .filter((file) => typeof file !== 'string' && (file.size > 0 || file.name !== ''))
    .map((file, key) => ({ key, name: file.name, type: file.type, bytes: file }))
  return {
    _id: crypto.randomUUID(),
    at: Date.now(),
    ...(ownerId !== undefined && { ownerId }),
    title: words('title'),
    text: words('text'),
    url: words('url'),
    files,
  }
}

/** Who is signed in, as the app notes it (`app/offline/record-signed-in.ts`); undefined for nobody. */
async function readSignedIn() {
  try {
    const database = await openDatabase('petrel-signed-in', (opened) =>
      opened.createObjectStore('people'),
    )
    try {
      return await new Promise((resolve, reject) => {
        const reading = database.transaction('people').objectStore('people').get('kept')
        reading.onsuccess = () => resolve(reading.result)
        reading.onerror = () => reject(reading.error)
      })
    } finally {
      database.close()
    }
  } catch {
    // It is kept all the same, and is whose the app finds signed in.
    return undefined
  }
}

async function keepShared(item) {
  const database = await openDatabase('petrel-shared', (opened) =>
    opened.createObjectStore('items', { keyPath: '_id' }),
  )
  try {
    await new Promise((resolve, reject) => {
      const transaction = database.transaction('items', 'readwrite')
      transaction.objectStore('items').put(item)
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
    })
    new BroadcastChannel('petrel-shared').postMessage('changed')
  } finally {
    database.close()
  }
}

function openDatabase(name, create) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1)
    opening.onupgradeneeded = () => create(opening.result)
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
}
