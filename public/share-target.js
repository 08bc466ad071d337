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
  const form = await request.formData()
  const words = (name) => form.getAll(name).find((value) => typeof value === 'string') ?? ''
  const files = form
    .getAll('files')
    .filter((file) => typeof file !== 'string' && (file.size > 0 || file.name !== ''))
    .map((file, key) => ({ key, name: file.name, type: file.type, bytes: file }))
  return {
    _id: crypto.randomUUID(),
    at: Date.now(),
    title: words('title'),
    text: words('text'),
    url: words('url'),
    files,
  }
}

async function keepShared(item) {
  const database = await new Promise((resolve, reject) => {
    const opening = indexedDB.open('petrel-shared', 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore('items', { keyPath: '_id' })
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
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
