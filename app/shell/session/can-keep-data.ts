/** Does the browser let this page keep anything? Where site data is blocked, asking for its stores throws. */
export function canKeepData(): boolean {
  try {
    localStorage.getItem('token')
    sessionStorage.getItem('token')
    return Boolean(globalThis.indexedDB)
  } catch {
    return false
  }
}
