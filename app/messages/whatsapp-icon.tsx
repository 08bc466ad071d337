import { Icon } from '../ui/icons/icon.tsx'

/** Marks what came or went over WhatsApp: a speech bubble with a handset in it. */
export function WhatsAppIcon() {
  return (
    <span role="img" aria-label="WhatsApp">
      <Icon name="whatsapp" size={13} />
    </span>
  )
}
