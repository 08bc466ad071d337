import { StorageUnavailable } from './storage-unavailable.ts'

/** What is stored of one document cannot be read; everything else can. */
export class DocumentDamaged extends StorageUnavailable {
  override name = 'DocumentDamaged'
}
