/** May this page store data? Where the browser blocks site data, accessing its stores throws. */
export function canKeepData(): boolean {
  try {
    localStorage.getItem('token')
    sessionStorage.getItem('token')
    return Boolean(globalThis.indexedDB)
  } catch {
    return false
  }
}
