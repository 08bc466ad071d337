/** Marks what came or went over WhatsApp: a speech bubble with a handset in it. */
export function WhatsAppIcon() {
  return (
    <svg
      width="13"
      height="13"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      role="img"
      aria-label="WhatsApp"
    >
      <path d="M3 21l1.6-4.9A9 9 0 1 1 8 19.4L3 21Z" />
      <path d="M8.7 8.2c-.5 3.7 3.4 7.6 7.1 7.1l.5-1.900-2-1.100-1 .8a5.5 5.5 0 0 1-2.400-2.400l.8-1-1.100-2-1.900.5Z" />
    </svg>
  )
}
