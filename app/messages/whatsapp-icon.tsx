import { Icon } from '../ui/icons/icon.tsx'

/** Marks messages sent over WhatsApp: a speech bubble with a handset. */
export function WhatsAppIcon() {
  return (
    <span role="img" aria-label="WhatsApp">
      <Icon name="whatsapp" size={13} />
    </span>
  )
}
